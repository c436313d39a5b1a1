// The current view as a slide: its link, its selection, and the parts of the page that can be shown alone.

import { say, sayOf } from "../../pictures/browser/say.js";

const SELECTED = ["kind", "layer", "head", "query", "key", "step"];
const NOT_OF_A_VIEW = ["presenter", "device"];
const MAIN = "[data-testid=stMainBlockContainer]";
const KEY = /(?:^| )st-key-([A-Za-z0-9_-]{1,80})(?: |$)/;
const PARTS = ["card_", "more_"]; // prefixes of the keys of parts of a page
const OWN_PARTS = ["touch_hand", "start_page", "map_page"]; // pages that are a single part
const LONGEST_NAME = 60;

/** Return the link of the current view, beginning with the name of its page.
 * @param {import("../../pictures/browser/types").Loupe} loupe
 * @param {import("../../pictures/browser/wire").WireSlides} app
 */
export function linkNow(loupe, { base, first, inputs }) {
  const page = pageOfPath(location.pathname, base) || first;
  const query = new URLSearchParams(location.search);
  for (const name of NOT_OF_A_VIEW) query.delete(name);
  for (const [name, value] of Object.entries(inputs))
    if (value && !query.has(name)) query.set(name, value);
  if (loupe.selection && loupe.page === page)
    for (const name of SELECTED)
      if (!query.has(name)) query.set(name, String(loupe.selection[name]));
  return `${page}?${query}`;
}

/** Return the address of a slide in this app, to open or to send.
 * @param {string} link
 * @param {{base: string, first: string}} app
 * @param {boolean} isPresented
 */
export function addressOf(link, { base, first }, isPresented) {
  const [page, text = ""] = split(link);
  const query = new URLSearchParams(text);
  if (isPresented) query.set("presenter", "true");
  if (page === first && !query.has("scene")) query.set("scene", "");
  return `${base}/${page === first ? "" : page}?${query}`;
}

/** Return the contents of a link in words: its page, its model, its texts.
 * @param {string} link
 * @param {{pages: [string, string][], models: Record<string, string>}} app
 */
export function partsOfLink(link, { pages, models }) {
  const [page, text = ""] = split(link);
  const query = new URLSearchParams(text);
  const checkpoint = query.get("checkpoint") ?? "";
  return {
    page: pages.find(([url]) => url === page)?.[1] ?? page,
    model: models[checkpoint] ?? checkpoint,
    checkpoint,
    source: query.get("source") ?? "",
    isChanged: Boolean(query.get("edits")),
  };
}

const split = (link) => {
  const at = link.indexOf("?");
  return at < 0 ? [link] : [link.slice(0, at), link.slice(at + 1)];
};

/** Describe the selection in the current run; return "" without a run.
 * @param {import("../../pictures/browser/types").Loupe} loupe
 */
export function saidNow(loupe) {
  const [run, selection] = [loupe.run(), loupe.selection];
  const stack = loupe.stack();
  if (!run || !selection || !stack) return "";
  const token = ([side, from], at) => run.tokens[side][from + at] ?? String(at);
  return say("deck.selected", {
    kind: sayOf("kind", selection.kind),
    layer: String(selection.layer),
    head: String(selection.head),
    row: token(stack.queries, selection.query),
    column: token(stack.keys, selection.key),
  });
}

/** Return the parts of the current page that can be shown alone, with key and name, in their order.
 * @returns {{key: string, name: string, node: HTMLElement}[]}
 */
export function panelsNow() {
  const found = new Map();
  for (const node of document.querySelectorAll(`${MAIN} [class*="st-key-"]`)) {
    const key = KEY.exec(node.className)?.[1];
    if (!key || found.has(key) || !isPart(key)) continue;
    const part = /** @type {HTMLElement} */ (node);
    const isFolded = key.startsWith("more_") && !part.querySelector("details[open]");
    if (!isFolded) found.set(key, { key, name: nameOf(part), node: part });
  }
  return [...found.values()];
}

const isPart = (key) => OWN_PARTS.includes(key) || PARTS.some((begins) => key.startsWith(begins));

// Return the heading of a part, or the page's name if it has none.
function nameOf(part) {
  const heading = part.querySelector("summary p, h1, h2, h3, .loupe-heading, figcaption b, legend");
  const first = [...(heading?.childNodes ?? [])].find((node) => node.textContent.trim());
  const plain =
    (first?.textContent ?? "").trim().replace(/\s+/g, " ") || document.title.split(" · ")[0];
  return plain.length > LONGEST_NAME ? `${plain.slice(0, LONGEST_NAME)}…` : plain;
}

/** Return the key of the part that takes most of the screen, or "" if there is none. */
export function panelInSight() {
  const seen = panelsNow().map(({ key, node }) => {
    const { top, bottom, width } = node.getBoundingClientRect();
    return { key, area: width * Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0)) };
  });
  return seen.reduce((most, one) => (one.area > most.area ? one : most), { key: "", area: 0 }).key;
}

/** Return a part of the current page. @param {string} key */
export const panelNode = (key) =>
  /** @type {HTMLElement | null} */ (
    key ? document.querySelector(`${MAIN} .st-key-${CSS.escape(key)}`) : null
  );

/** Return the link in an address of this app, without changes.
 * @param {{pathname: string, search: string}} address
 * @param {{base: string, first: string}} app
 */
export function linkOfAddress({ pathname, search }, { base, first }) {
  const query = new URLSearchParams(search);
  for (const name of NOT_OF_A_VIEW) query.delete(name);
  return `${pageOfPath(pathname, base) || first}?${query}`;
}

const pageOfPath = (path, base) => path.slice(base.length).replace(/^\/|\/$/g, "");
