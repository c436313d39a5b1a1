// One badge for all steps of a cell's arithmetic, which opens to one for each.

import { element } from "../../../pictures/browser/elements.js";
import { cellBadge, cellWords } from "./cell_parts.js";

const NAMES = [
  "query",
  "key",
  "dot product",
  "score",
  "masked score",
  "exponentials",
  "denominator",
  "weights",
  "value",
  "weighted value",
  "mix",
  "contribution",
  "output",
]; // in the order of the arithmetic

const badgeName = (name, made) => (made.includes(name) ? `${name}: changed by you` : name);

export function cellChecks() {
  const verdict = cellWords({}, "summary");
  const badges = NAMES.map((name) => cellBadge(name));
  const node = element(
    "details",
    { class: "cell-checks" },
    verdict.node,
    element("ul", { class: "loupe-badges" }, ...badges.map((badge) => badge.node)),
  );
  return {
    node,
    /** How far each step is from float64.
     * @param {ArrayLike<number>} differences
     * @param {number} tolerance
     * @param {string[]} [changed] steps whose result a person changed
     */
    put(differences, tolerance, changed = []) {
      const differ = NAMES.filter((_, i) => !(differences[i] <= tolerance));
      const failed = differ.filter((name) => !changed.includes(name));
      const made = differ.filter((name) => changed.includes(name));
      node.classList.toggle("loupe-fail", failed.length > 0);
      node.classList.toggle("loupe-pass", failed.length === 0);
      const mark = [failed.length ? "✗" : "✓"];
      const words = failed.length
        ? ` not what float64 gives: ${failed.join(", ")}`
        : made.length
          ? ` changed by you: ${made.join(", ")}; all other steps agree with float64`
          : ` all ${NAMES.length} steps agree with float64`;
      verdict.put(mark, words);
      badges.forEach((badge, i) => {
        badge.put(
          made.includes(NAMES[i]) ? 0 : differences[i],
          tolerance,
          badgeName(NAMES[i], made),
        );
      });
    },
  };
}
