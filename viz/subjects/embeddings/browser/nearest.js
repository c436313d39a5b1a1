// The words nearest to one word, as bars as long as their cosines; a click chooses a word.

import { element, pushButton } from "../../../pictures/browser/elements.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say, written } from "../../../pictures/browser/say.js";

/** @typedef {import("./wire").WireNearest} WireNearest */

/** @type {import("../../../pictures/browser/types").Setup} */
function showNearest(_loupe, { host, save }) {
  /** @type {WireNearest} */
  let shown = null;
  const list = element("ol", {});
  const scale = element(
    "p",
    { "aria-hidden": "true" },
    element("span", {}, say("embeddings.as_any_two")),
    element("span", {}, say("embeddings.same")),
  );
  host.append(element("div", { class: "embeddings-near" }, list, scale));
  save({ name: say("embeddings.nearest_saved"), table: () => nearestTable(shown) });
  return (data, tell) => {
    shown = data;
    const zero = zeroOf(shown.cosines);
    scale.style.paddingLeft = percent(zero);
    list.setAttribute("aria-label", say("embeddings.nearest_of", { token: shown.of }));
    replaceKept(
      list,
      shown.words.map((_, at) => barOf(shown, at, zero, tell)),
    );
  };
}

/** Return the position of a cosine of 0 as a share of the bars' width, because some cosines may be negative.
 * @param {readonly number[]} cosines
 */
export function zeroOf(cosines) {
  const below = -Math.min(0, ...cosines);
  return below / (1 + below);
}

const percent = (share) => `${(100 * share).toFixed(2)}%`;

/** @param {WireNearest} shown */
function barOf({ words, groups, cosines, looks }, at, zero, tell) {
  const [light, dark] = looks[groups[at]];
  const long = cosines[at] * (1 - zero);
  const place = `margin-left: ${percent(zero + Math.min(0, long))}; width: ${percent(Math.abs(long))}`;
  return element(
    "li",
    {},
    pushButton({ onclick: () => tell("choose", { at }) }, element("bdi", {}, words[at])),
    element(
      "span",
      { class: "embeddings-bar" },
      element("i", { style: `${place}; background: light-dark(${light}, ${dark})` }),
    ),
    element("b", {}, cosineText(cosines[at])),
  );
}

/** Return a cosine with two decimals.
 * @param {number} cosine
 */
export const cosineText = (cosine) => written(cosine.toFixed(2).replace("-", "−"));

/** Replace buttons by others, and keep the focus at its place among them.
 * @param {HTMLElement} parent
 * @param {HTMLElement[]} children
 */
export function replaceKept(parent, children) {
  const at = [...parent.children].findIndex((child) => child.contains(document.activeElement));
  parent.replaceChildren(...children);
  const next = children[Math.min(at, children.length - 1)];
  if (at >= 0) (next?.matches("button") ? next : next?.querySelector("button"))?.focus();
}

/** @param {WireNearest} shown */
function nearestTable({ words, groups, cosines }) {
  return tableOf(
    { word: "text", group: "text", cosine: "double" },
    words.map((word, at) => [word, groups[at], cosines[at]]),
  );
}

export const components = { nearest: showNearest };
