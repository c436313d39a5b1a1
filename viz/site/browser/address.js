// Where one is: the page and what the link says. In a site each page has a path, in one file they stand behind the "#".

const LONGEST = 4_000; // characters of a link

/**
 * @param {string[]} pages by their paths
 * @param {boolean} hasPaths
 */
export function createAddress(pages, hasPaths) {
  const [path, search] = hasPaths
    ? [location.pathname.split("/").at(-2) ?? "", location.search]
    : location.hash.slice(1).split("?");
  const page = pages.includes(path) ? path : "";
  const params = new URLSearchParams((search ?? "").slice(0, LONGEST));
  const root = page ? "../" : "./";
  const link = (to, changes = {}) => {
    const next = new URLSearchParams(params);
    for (const [name, value] of Object.entries(changes)) next.set(name, String(value));
    const query = next.size ? `?${next}` : "";
    return hasPaths ? `${root}${to ? `${to}/` : ""}${query}` : `#${to}${query}`;
  };
  const open = (to, changes = {}) => {
    if (hasPaths) return location.assign(link(to, changes));
    history.pushState(null, "", link(to, changes));
    location.reload();
  };
  if (!hasPaths) window.addEventListener("hashchange", () => location.reload());
  return {
    page,
    get: (name) => params.get(name),
    link,
    open,
    /** Keep something in the address. @param {Record<string, unknown>} changes */
    put(changes) {
      for (const [name, value] of Object.entries(changes)) params.set(name, String(value));
      history.replaceState(null, "", link(page));
      for (const anchor of document.querySelectorAll("header a")) refresh(anchor, link);
    },
    reload: (changes) => open(page, changes),
  };
}

// A link of the frame leads to the sentence and the cell in view now.
function refresh(anchor, link) {
  anchor.setAttribute("href", link(anchor.dataset.page));
}
