// One row of a head, key by key: its score, its score after the mask, and its weight after the softmax.

import { element } from "../../../pictures/browser/elements.js";
import { columnTexts, numberText, percentText } from "../../../pictures/browser/numbers.js";
import { say, sayOf } from "../../../pictures/browser/say.js";

/** Return the row as a table.
 * @param {string} reader
 * @param {ReturnType<typeof import("./mask_runs").stepsOf>} steps
 */
export function rowTable(reader, steps) {
  const scores = columnTexts(steps.map(({ score }) => score));
  const line = ({ key, masked, weight, why }, at) => {
    const number = (text) => element("td", { class: "loupe-number" }, text);
    return element(
      "tr",
      { class: why ? "loupe-pad" : null },
      element("th", { scope: "row" }, element("bdi", {}, key)),
      number(scores[at]),
      number(why ? numberText(masked) : scores[at]),
      number(percentText(weight)),
      element("td", {}, why ? sayOf("masks.hidden_as", why) : ""),
    );
  };
  const heads = ["key", "score", "masked", "weight", "why"].map((name) =>
    element("th", { scope: "col" }, sayOf("masks.column", name)),
  );
  return element(
    "table",
    { class: "loupe-table" },
    element("caption", {}, say("masks.row_caption", { reader })),
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...steps.map(line)),
  );
}
