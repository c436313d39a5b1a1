// Where one is: the page and what the link says. In a site each page has a path; in one file page and link follow the "#",
// and what follows the "?" is taken as a link to the first page.

const LONGEST = 4_000; // characters of a link
const OF_A_PAGE = ["lesson", "part", "slide"]; // whoever goes to another page leaves these

/**
 * @param {string[]} pages by their paths
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
    /** Whether the link says nothing but the language. */
    isBare: [...params.keys()].every((name) => name === "lang"),
    link,
    open,
    /** Be where a step or a slide leads, and nowhere else; gives whether the page is the one.
     * @param {string} to
     * @param {Record<string, unknown>} query
     */
    arrive(to, query) {
      for (const name of [...params.keys()]) if (name !== "lang") params.delete(name);
      if (to === page) put(query);
      else open(to, query, true);
      return to === page;
    },
    /** Keep something in the address. */
    put,
    reload: (changes) => open(page, changes),
  };
}

/** @param {URLSearchParams} params @param {Record<string, unknown>} changes what is null goes */
function change(params, changes) {
  for (const [name, value] of Object.entries(changes))
    if (value === null) params.delete(name);
    else params.set(name, String(value));
}

// A link of the frame leads to the sentence and the cell in view now.
function refresh(anchor, link) {
  anchor.setAttribute("href", link(anchor.dataset.page));
}
