// A page that stands alone, without a server: its data, its colours, and whoever holds it in a frame.

import { doubtColours, setScheme } from "./colours.js";

const FOOT_ROOM = 14; // pixels

/** Bytes that were deflated and written as text.
 * @param {string} text in base64
 */
export async function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/** Draw in light or dark as the browser has it, or as whoever holds the page in a frame wants it.
 * @param {Document} page
 * @param {import("./types").Loupe} loupe
 */
export function followScheme(page, loupe) {
  const ground = /** @type {HTMLElement} */ (page.querySelector(".stApp"));
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let wanted = "";
  const dress = () => {
    const scheme = wanted || (dark.matches ? "dark" : "light");
    if (ground.style.colorScheme === scheme) return;
    setScheme(scheme);
    loupe.tell("run");
  };
  dark.addEventListener("change", dress);
  window.addEventListener("resize", doubtColours); // letters may have another size then
  hear("loupeScheme", (scheme) => {
    wanted = scheme === "dark" ? "dark" : "light";
    dress();
  });
  dress();
}

/** Tell whoever holds this page in a frame how high it is, and let them choose. Nobody has to listen.
 * @param {Document} page
 * @param {import("./types").Loupe} loupe
 */
export function followParent(page, loupe) {
  hear("loupeSelection", (selection) => loupe.select(selection));
  const foot = page.querySelector("footer"); // the ground itself is as high as the frame, or higher
  const measure = () =>
    tell("loupeHeight", Math.ceil(foot.getBoundingClientRect().bottom + scrollY) + FOOT_ROOM);
  new ResizeObserver(measure).observe(page.querySelector("main"));
  measure();
}

/** Tell whoever holds this page in a frame.
 * @param {string} name
 * @param {unknown} value
 */
export function tell(name, value) {
  if (parent !== window) parent.postMessage({ [name]: value }, "*");
}

function hear(name, act) {
  window.addEventListener("message", ({ data, source }) => {
    if (parent !== window && source === parent && data?.[name]) act(data[name]);
  });
}
