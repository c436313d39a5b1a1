// The attention of one run on a page of its own, without a server: all that it draws stands in the page.

import { doubtColours, setScheme } from "../../../pictures/browser/colours.js";
import { createLoupe } from "../../../pictures/browser/explorer.js";
import { components as kept } from "../../../pictures/browser/run.js";
import { components as chosen } from "../../../pictures/browser/selection.js";
import { components as oneHead } from "./head.js";
import { components as allHeads } from "./heads.js";
import { components as words } from "./reading.js";

const PICTURES = { ...kept, ...chosen, ...words, ...allHeads, ...oneHead };
const FOOT_ROOM = 14; // pixels
const UNCHANGED = { off: [], damage: {} };

/** Draw the run that a page holds.
 * @param {Document} page with the data as JSON in #sent, and an element for each picture
 * @param {(loupe: import("../../../pictures/browser/types").Loupe, sent: import("./wire").WireStandalone) => void} prepare
 *   the explorer before anything is drawn
 */
export async function begin(page, prepare = () => {}) {
  /** @type {import("./wire").WireStandalone} */
  const sent = JSON.parse(page.getElementById("sent").textContent);
  const { run } = sent.run;
  const codes = new Uint16Array(await inflated(sent.codes));
  const loupe = createLoupe(page);
  prepare(loupe, sent);
  const put = (name, setup, data, setTriggerValue = (_event, _value) => {}) =>
    loupe.mount(name, setup, { data, parentElement: page.getElementById(name), setTriggerValue });
  const show = (name, data, trigger) => put(name, PICTURES[name], data, trigger);
  followScheme(page, loupe);
  show("run", { meta: sent.run, codes: { getChild: () => ({ toArray: () => codes }) } });
  show("measures", sent.measures);
  show("selection", sent.choice, (event, choice) => {
    if (event === "commit") tell("loupeSelection", placeOf(choice));
  });
  show("reading", { run, ...UNCHANGED });
  show("heads", { run, ...UNCHANGED });
  show("head", { run });
  followParent(page, loupe);
  return { loupe, sent, put };
}

const placeOf = ({ kind, layer, head, query, key }) => ({ kind, layer, head, query, key });

/** Bytes that were deflated and written as text.
 * @param {string} text in base64
 */
export async function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

// Light or dark as the browser has it, or as whoever holds the page in a frame wants it.
function followScheme(page, loupe) {
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

// Whoever holds this page in a frame is told what is chosen and how high it is, and may choose.
// Nobody has to listen.
function followParent(page, loupe) {
  hear("loupeSelection", (selection) => loupe.select(selection));
  const foot = page.querySelector("footer"); // the ground itself is as high as the frame, or higher
  const measure = () =>
    tell("loupeHeight", Math.ceil(foot.getBoundingClientRect().bottom + scrollY) + FOOT_ROOM);
  new ResizeObserver(measure).observe(page.querySelector("main"));
  measure();
}

function tell(name, value) {
  if (parent !== window) parent.postMessage({ [name]: value }, "*");
}

function hear(name, act) {
  window.addEventListener("message", ({ data, source }) => {
    if (parent !== window && source === parent && data?.[name]) act(data[name]);
  });
}
