// One badge for all steps of a cell's arithmetic, which opens to show one badge for each step.

import { element } from "../../../pictures/browser/elements.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
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

const lineName = (name) => sayOf("attention.line", name.replaceAll(" ", "_"));
const lineNames = (names) => names.map(lineName).join(", ");
const badgeName = (name, made) =>
  made.includes(name) ? say("attention.line_changed", { line: lineName(name) }) : lineName(name);

export function cellChecks() {
  const verdict = cellWords({}, "summary");
  const badges = NAMES.map((name) => cellBadge(lineName(name)));
  const node = element(
    "details",
    { class: "cell-checks" },
    verdict.node,
    element("ul", { class: "loupe-badges" }, ...badges.map((badge) => badge.node)),
  );
  return {
    node,
    /** Show how far each step is from its float64 value.
     * @param {ArrayLike<number>} differences
     * @param {number} tolerance
     * @param {string[]} [changed] steps whose result a person changed
     */
    put(differences, tolerance, changed = []) {
      const known = NAMES.filter((_, i) => !Number.isNaN(differences[i]));
      const differ = known.filter((name) => !(differences[NAMES.indexOf(name)] <= tolerance));
      const failed = differ.filter((name) => !changed.includes(name));
      const made = differ.filter((name) => changed.includes(name));
      node.classList.toggle("loupe-fail", failed.length > 0);
      node.classList.toggle("loupe-pass", failed.length === 0);
      const mark = [failed.length ? "✗" : "✓"];
      const words = failed.length
        ? say("attention.lines_failed", { lines: lineNames(failed) })
        : made.length
          ? say("attention.lines_changed", { lines: lineNames(made) })
          : say("attention.lines_agree", { count: known.length });
      verdict.put(mark, ` ${words}`);
      badges.forEach((badge, i) => {
        badge.node.hidden = Number.isNaN(differences[i]);
        badge.put(
          made.includes(NAMES[i]) ? 0 : differences[i],
          tolerance,
          badgeName(NAMES[i], made),
        );
      });
    },
  };
}
