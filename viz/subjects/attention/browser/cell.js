// The card of one cell of attention: each step from query and key to the output, with every number.
// Streamlit's Markdown draws the formulas, and each is copied into its step.

import { element } from "../../../pictures/browser/elements.js";
import { filled } from "../../../pictures/browser/filled.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { cellWords, followCell } from "./cell_parts.js";
import {
  dotBody,
  maskBody,
  mixBody,
  outputBody,
  productsBody,
  scaledBody,
  softmaxBody,
  weightedBody,
} from "./cell_steps.js";
import { cellTable } from "./cell_table.js";

/** @type {import("../../../pictures/browser/types").Setup} */
function cell(loupe, picture) {
  const { host, signal, save } = picture;
  let shown = null;
  save({ name: say("attention.numbers_saved"), table: () => cellTable(shown) });
  const place = cellPlace();
  const steps = CELL_STEPS.map(cellStep);
  const column = (...range) =>
    element("div", {}, ...steps.slice(...range).map((step) => step.node));
  host.append(
    place.node,
    element("div", { class: "cell-columns" }, column(0, STEPS_TO_WEIGHT), column(STEPS_TO_WEIGHT)),
  );
  const followFormulas = copyFormulas(
    host,
    steps.flatMap((step) => step.formulas),
    signal,
  );
  return followCell(loupe, picture, (data) => {
    shown = data;
    followFormulas();
    place.put(data);
    for (const step of steps) step.put(data);
    steps[steps.length - 1].node.hidden = !data.output;
  });
}

// The steps in reading order, with the number of formulas of each.
const CELL_STEPS = [
  { name: "products", formulas: 2, body: productsBody },
  { name: "dot", formulas: 1, body: dotBody, short: true },
  { name: "scaled", formulas: 1, body: scaledBody, short: true },
  { name: "mask", formulas: 1, body: maskBody, short: true },
  { name: "softmax", formulas: 3, body: softmaxBody },
  { name: "weighted", formulas: 2, body: weightedBody },
  { name: "mix", formulas: 1, body: mixBody },
  { name: "output", formulas: 2, body: outputBody },
];
const STEPS_TO_WEIGHT = 5; // the first ones end at the weight; the others show what the weight does

// Create one step: its title, its formulas, and its numbers.
function cellStep({ name, formulas: count, body, short = false }) {
  const formulas = Array.from({ length: count }, () => element("span"));
  const numbers = body();
  const node = element(
    "section",
    { class: short ? "cell-step cell-short" : "cell-step" },
    element("h3", { class: "cell-title" }, sayOf("attention.step", name)),
    element("div", { class: "cell-formulas" }, ...formulas),
    element("div", { class: "cell-body" }, ...numbers.nodes),
  );
  return { node, formulas, put: numbers.put };
}

// Create the line that names the cell as the trace does.
function cellPlace() {
  const place = cellWords({ class: "cell-soft cell-place" });
  return {
    node: place.node,
    /** @param {import("./types").Cell} cell */
    put(cell) {
      const { name, head, query, key } = cell;
      const [queryIs, keyIs] = sidesOf(cell);
      const parts = {
        name: [name, "cell-name"],
        head: String(head),
        query: [say("attention.query_at", { position: query.position }), "loupe-query"],
        query_is: sayOf("attention.side", queryIs),
        key: [say("attention.key_at", { position: key.position }), "loupe-key"],
        key_is: sayOf("attention.side", keyIs),
      };
      place.put(...filled(say("attention.place"), parts));
    },
  };
}

/** Return the roles of the tokens of query and key: "reads", "read", "writes" or "there".
 * @param {import("./types").Cell} cell
 */
function sidesOf({ name, reads }) {
  if (reads || name.startsWith("encoder")) return ["reads", "read"];
  return ["writes", name.endsWith("cross_attn") ? "read" : "there"];
}

// Copy the formulas that Streamlit draws into their steps, now and whenever they change.
function copyFormulas(host, places, signal) {
  let source = null;
  const copy = () => {
    const drawn = source.querySelectorAll("p");
    places.forEach((place, i) => {
      const nodes = Array.from(drawn[i]?.childNodes ?? [], (node) => node.cloneNode(true));
      place.replaceChildren(...nodes);
    });
  };
  const observer = new MutationObserver(copy);
  signal.addEventListener("abort", () => observer.disconnect());
  return () => {
    if (source?.isConnected) return;
    observer.disconnect();
    source = host.closest(".st-key-cell")?.querySelector(".st-key-cell_formulas");
    if (!source) return;
    observer.observe(source, { childList: true, characterData: true, subtree: true });
    copy();
  };
}

export const components = { cell };
