// Keeps the site in a browser that was there once: it opens without a network. Another version replaces all of it.

const KEPT = "loupe-VERSION";
const FILES = [FILES];

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(KEPT)
      .then((cache) => cache.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  const forget = (names) =>
    Promise.all(
      names.filter((name) => name.startsWith("loupe-") && name !== KEPT).map((name) => caches.delete(name)),
    );
  event.waitUntil(
    caches
      .keys()
      .then(forget)
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  event.respondWith(
    caches.match(request, { ignoreSearch: true }).then((found) => found ?? fetch(request)),
  );
});
