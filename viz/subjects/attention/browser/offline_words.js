// The formulas of a cell's steps in plain letters: a page without a server has nobody who sets them.

import { element } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";

const formulas = () => [
  "q = W^Q x,  k = W^K x",
  "q · k = Σ qᵢ kᵢ",
  "s = q · k / √d_k",
  `s′ = s ${say("attention.formula_may")} −∞`,
  "w = exp(s′ − max s′) / Σⱼ exp(s′ⱼ − max s′)",
  "w v",
  "head = Σⱼ wⱼ vⱼ",
  "output = Σ_h W^O_h head_h",
]; // in the order of the steps

/** Write a formula into each step.
 * @param {HTMLElement} card
 */
export function putFormulas(card) {
  const all = formulas();
  card.querySelectorAll(".cell-formulas").forEach((place, i) => {
    place.replaceChildren(element("code", {}, all[i] ?? ""));
  });
}
