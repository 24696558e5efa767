console.log('shared begins', {deep: [1]});
onconnect = event => {
  event.ports[0].postMessage('hello');
  fetch('src/app.ts?shared');
  setTimeout(function later() { throw new Error('shared broke'); }, 100);
};
