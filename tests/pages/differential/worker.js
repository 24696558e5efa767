self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', e => e.waitUntil(self.clients.claim()));
self.addEventListener('fetch', e => { if (e.request.url.endsWith('from-worker')) e.respondWith(new Response('worker says hello')); });
