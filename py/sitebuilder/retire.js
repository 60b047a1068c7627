/**
 * What takes the service worker's place where a course is not to work offline: it removes the worker that an earlier
 * deploy has left in readers' browsers, and all that it kept (the names of its caches: static/js/shelf.js).
 */

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(retire()));

async function retire() {
  const kept = `lectern-offline:${new URL(self.registration.scope).pathname}:`;
  for (const name of await caches.keys()) if (name.startsWith(kept)) await caches.delete(name);
  await self.registration.unregister();
}
