// Keeps the site in the browser after the first visit, so that it opens without a network. A new version replaces all
// of it. Sites of one origin share its caches, so the name of each cache includes the site's address.

const { scope } = self.registration;
const KEPT = `loupe-VERSION ${scope}`;
const UNNAMED = /^loupe-[0-9a-f]{16}$/; // from before the name included the address
const FILES = [FILES];

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(KEPT)
      .then((cache) => cache.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

// Return whether a cache is an earlier version of this very site.
async function isOutdated(name) {
  if (name === KEPT) return false;
  if (UNNAMED.test(name)) return Boolean(await (await caches.open(name)).match(scope));
  return name.startsWith("loupe-") && name.endsWith(` ${scope}`);
}

async function forgetOutdated() {
  for (const name of await caches.keys()) if (await isOutdated(name)) await caches.delete(name);
  await self.clients.claim();
}

self.addEventListener("activate", (event) => event.waitUntil(forgetOutdated()));

// The files of a third-party model are not listed here. The page keeps its weights by their hashes, which its
// description lists. The description may have changed since, so the server is asked first.
const DESCRIPTION = /\/models\/[^/]+\.json$/;
const isOfThese = ({ url }) => FILES.some((path) => new URL(path, scope).href === url);

async function latest(request, kept) {
  try {
    const answer = await fetch(request);
    if (answer.ok) await kept.put(request, answer.clone());
    return answer;
  } catch (fault) {
    const before = await kept.match(request);
    if (before) return before;
    throw fault;
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const answer = async () => {
    const kept = await caches.open(KEPT);
    if (DESCRIPTION.test(request.url) && !isOfThese(request)) return latest(request, kept);
    return (await kept.match(request, { ignoreSearch: true })) ?? fetch(request);
  };
  event.respondWith(answer());
});
