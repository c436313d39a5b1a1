// The current page and the parameters of its link. In a site each page has a path. In a single file, page and link
// follow the "#", and a text after the "?" is taken as a link to the first page.

const LONGEST = 4_000; // maximum length of a link
const OF_A_PAGE = ["lesson", "part", "slide"]; // left out of links to another page

/**
 * @param {string[]} pages the paths of the pages
 * @param {boolean} hasPaths
 */
export function createAddress(pages, hasPaths) {
  const [path, search] = hasPaths
    ? [location.pathname.split("/").at(-2) ?? "", location.search]
    : (location.hash || `#${location.search}`).slice(1).split("?");
  const page = pages.includes(path) ? path : "";
  const params = new URLSearchParams((search ?? "").slice(0, LONGEST));
  const root = page ? "../" : "./";
  const link = (to, changes = {}) => {
    const next = new URLSearchParams(params);
    if (to !== page) for (const name of OF_A_PAGE) next.delete(name);
    change(next, changes);
    const query = next.size ? `?${next}` : "";
    return hasPaths ? `${root}${to ? `${to}/` : ""}${query}` : `${location.pathname}#${to}${query}`;
  };
  const open = (to, changes = {}, isInstead = false) => {
    const next = link(to, changes);
    if (hasPaths) return isInstead ? location.replace(next) : location.assign(next);
    history[isInstead ? "replaceState" : "pushState"](null, "", next);
    location.reload();
  };
  const put = (changes) => {
    change(params, changes);
    history.replaceState(null, "", link(page));
    for (const anchor of document.querySelectorAll("header a[data-page]")) refresh(anchor, link);
  };
  if (!hasPaths) window.addEventListener("hashchange", () => location.reload());
  return {
    page,
    get: (name) => params.get(name),
    /** Whether the link sets nothing but the language. */
    isBare: [...params.keys()].every((name) => name === "lang"),
    link,
    open,
    /** Go to the page of a step or a slide with only its parameters, and return whether that page is already open.
     * @param {string} to
     * @param {Record<string, unknown>} query
     */
    arrive(to, query) {
      for (const name of [...params.keys()]) if (name !== "lang") params.delete(name);
      if (to === page) put(query);
      else open(to, query, true);
      return to === page;
    },
    /** Keep parameters in the address. */
    put,
    reload: (changes) => open(page, changes),
  };
}

/** @param {URLSearchParams} params @param {Record<string, unknown>} changes null removes a parameter */
function change(params, changes) {
  for (const [name, value] of Object.entries(changes))
    if (value === null) params.delete(name);
    else params.set(name, String(value));
}

// Update a link of the frame to the current sentence and cell.
function refresh(anchor, link) {
  anchor.setAttribute("href", link(anchor.dataset.page));
}
