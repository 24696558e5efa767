console.log('service begins');
oninstall = event => event.waitUntil(fetch('src/app.ts?service').then(() => skipWaiting()));
onactivate = event => event.waitUntil(clients.claim());
onfetch = event => {
  if (event.request.url.endsWith('?through')) event.respondWith(fetch(event.request));
};
setTimeout(function later() { throw new Error('service broke'); }, 100);
