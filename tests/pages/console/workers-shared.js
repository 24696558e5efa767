console.log('shared begins', {deep: [1]});
onconnect = event => {
  event.ports[0].postMessage('hello');
  setTimeout(() => fetch('src/app.ts?shared'), 1000);
  setTimeout(function later() { throw new Error('shared broke'); }, 100);
};
