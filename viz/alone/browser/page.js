// A standalone page without a server: its data, its colours, and messages to the page that holds it in a frame.

import { doubtColours, setScheme } from "../../pictures/browser/colours.js";

const FOOT_ROOM = 14; // pixels

const TYPES = { u1: Uint8Array, u2: Uint16Array, f4: Float32Array };

/** Read the data in a page: values, and arrays by their names.
 * @param {Document} page
 * @returns {Promise<any>}
 */
export async function readSent(page) {
  const { values, arrays } = JSON.parse(page.getElementById("sent").textContent);
  const read = Object.entries(arrays).map(async ([name, [type, text]]) => {
    return [name, new TYPES[type](await inflated(text))];
  });
  return { ...values, ...Object.fromEntries(await Promise.all(read)) };
}

// Decode bytes that were deflated and written as base64.
async function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/** Wrap an array in the form of an Arrow table from Streamlit.
 * @param {ArrayLike<number>} array
 */
export const tableOf = (array) => ({ getChild: () => ({ toArray: () => array }) });

/** Draw in light or dark, as the browser prefers or as the page around this frame asks.
 * @param {Document} page
 * @param {import("../../pictures/browser/types").Loupe} loupe
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
  window.addEventListener("resize", doubtColours); // the size of letters may have changed
  hear("loupeScheme", (scheme) => {
    wanted = scheme === "dark" ? "dark" : "light";
    dress();
  });
  dress();
}

/** Tell the page around this frame how high this page is, and let it change the selection. It need not listen.
 * @param {Document} page
 * @param {import("../../pictures/browser/types").Loupe} loupe
 */
export function followParent(page, loupe) {
  hear("loupeSelection", (selection) => loupe.select(selection));
  const foot = page.querySelector("footer"); // because the background is at least as high as the frame
  const measure = () =>
    tell("loupeHeight", Math.ceil(foot.getBoundingClientRect().bottom + scrollY) + FOOT_ROOM);
  new ResizeObserver(measure).observe(page.querySelector("main"));
  measure();
}

/** Send a message to the page around this frame, if there is one.
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
