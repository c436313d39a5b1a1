// The card of one cell of attention: every step from query and key to the output, with its numbers.
// Formulas come from Streamlit's Markdown, which draws them; each is copied into its step.

import { element } from "../../../pictures/browser/elements.js";
import { createFreshness } from "../../../pictures/browser/made.js";
import { numberText, unpacked } from "../../../pictures/browser/numbers.js";
import { cellBadge, cellLength, cellWords } from "./cell_parts.js";
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

/** @type {import("../../../pictures/browser/types").Setup} */
function cell(loupe, { host, listen, signal }) {
  const freshness = loupe.part(createFreshness);
  listen((what) => what === "selection" && freshness.show());
  const heading = cellHeading();
  const steps = CELL_STEPS.map(cellStep);
  const column = (...range) =>
    element("div", {}, ...steps.slice(...range).map((step) => step.node));
  host.append(
    heading.node,
    element("div", { class: "cell-columns" }, column(0, STEPS_TO_WEIGHT), column(STEPS_TO_WEIGHT)),
  );
  const followFormulas = copyFormulas(
    host,
    steps.flatMap((step) => step.formulas),
    signal,
  );
  signal.addEventListener("abort", () => {
    if (loupe.card?.host === host) loupe.card = null;
    loupe.exact = null;
    freshness.forget(host);
  });
  /**
   * @param {import("./wire").WireCell} data
   * @param {import("../../../pictures/browser/types").Trigger} send
   */
  const update = (data, send) => {
    loupe.card = data.commits ? { host, send } : null;
    freshness.put(host, data.made ?? {});
    const relative = unpacked(data.lines);
    const lines = new Map(
      CELL_STEPS.flatMap(({ lines }) => lines).map((name, i) => [name, relative[i]]),
    );
    followFormulas();
    heading.put(data, lines);
    for (const step of steps) step.put(data, lines);
    tellWeight(loupe, data);
  };
  return update;
}

/** Tell the weight itself to whatever shows this cell: Python sends the others in steps.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {import("./wire").WireCell} cell
 */
function tellWeight(loupe, { made, weight }) {
  loupe.exact = made ? { made, weight: Number(weight) } : null;
  loupe.tell("exact");
}

// The steps in reading order, with the lines of the arithmetic that each shows, in their order.
const CELL_STEPS = [
  { title: "Query and key", lines: ["query", "key"], body: productsBody },
  { title: "Dot product", lines: ["dot product"], body: dotBody, short: true },
  { title: "Scaled score", lines: ["score"], body: scaledBody, short: true },
  { title: "Mask", lines: ["masked score"], body: maskBody, short: true },
  {
    title: "Softmax over the row",
    lines: ["exponentials", "denominator", "weights"],
    body: softmaxBody,
  },
  { title: "Weight times value", lines: ["value", "weighted value"], body: weightedBody },
  { title: "Mix over the row", lines: ["mix"], body: mixBody },
  { title: "Output projection", lines: ["contribution", "output"], body: outputBody },
];
const STEPS_TO_WEIGHT = 5; // these end at the weight; the others follow what it does

// One step: its title and checks, its formulas, and its numbers.
function cellStep({ title, lines, body, short = false }) {
  const badges = lines.map((name) => cellBadge(lines.length > 1 ? name : ""));
  const formulas = lines.map(() => element("span"));
  const numbers = body();
  const node = element(
    "section",
    { class: short ? "cell-step cell-short" : "cell-step" },
    element(
      "div",
      { class: "cell-title" },
      element("h3", {}, title),
      element("ul", { class: "loupe-badges" }, ...badges.map((badge) => badge.node)),
    ),
    element("div", { class: "cell-formulas" }, ...formulas),
    element("div", { class: "cell-body" }, ...numbers.nodes),
  );
  return {
    node,
    formulas,
    put(data, differences) {
      lines.forEach((name, i) => {
        badges[i].put(differences.get(name), Number(data.tolerance));
      });
      numbers.put(data);
    },
  };
}

// The question of the card, and its answer.
function cellHeading() {
  const question = cellWords({}, "h2");
  const answer = cellWords({ class: "cell-answer" });
  const length = cellLength();
  const place = cellWords({ class: "cell-soft" });
  const badge = cellBadge();
  const node = element(
    "header",
    { class: "cell-head" },
    question.node,
    answer.node,
    length.node,
    place.node,
    element("ul", { class: "loupe-badges" }, badge.node),
  );
  return {
    node,
    /**
     * @param {import("./wire").WireCell} data
     * @param {Map<string, number>} lines
     */
    put(data, lines) {
      const { query, key } = data;
      question.put(
        "How much does ",
        [query.token, "loupe-query"],
        " read ",
        [key.token, "loupe-key"],
        ` in head ${data.head}?`,
      );
      answer.put([numberText(Number(data.weight))], ` ${weightRank(data)}`);
      length.put(Number(data.weight), 1);
      place.put(
        [data.name, "cell-name"],
        ` head ${data.head} · `,
        [`query ${query.position}`, "loupe-query"],
        ` ${query.words} · `,
        [`key ${key.position}`, "loupe-key"],
        ` ${key.words}`,
      );
      const tolerance = Number(data.tolerance);
      const failed = [...lines.keys()].filter((name) => !(lines.get(name) <= tolerance));
      const verdict = failed.length
        ? `not what float64 gives: ${failed.join(", ")}`
        : `all ${lines.size} lines agree with float64:`;
      badge.put(Math.max(...lines.values()), tolerance, verdict);
    },
  };
}

/** Where the weight stands among those of its row.
 * @param {import("./wire").WireCell} cell
 */
function weightRank({ weight, rank, score, row }) {
  if (weight === "NaN") return "is no weight: see the softmax";
  if (!score.allowed && weight === "0") return "of the weight: the mask hides it";
  return `of the weight, ${rank === 1 ? "the most" : `number ${rank}`} of ${row.size} keys`;
}

// Copy the formulas that Streamlit draws into their places, now and whenever they change.
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
