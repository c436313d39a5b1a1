// The division of the scores: moving a slider divides the scores of one row by another number at once; releasing it
// divides those of the whole run.

import { element, pushButton } from "../../../pictures/browser/elements.js";
import { filled } from "../../../pictures/browser/filled.js";
import { term } from "../../../pictures/browser/glossary.js";
import { numberText, percentText } from "../../../pictures/browser/numbers.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say } from "../../../pictures/browser/say.js";

/** Return the softmax of dot products that are divided by a number.
 * @param {number[]} products
 * @param {number} divisor
 */
export function dividedWeights(products, divisor) {
  const most = Math.max(...products);
  const exponentials = products.map((product) => Math.exp((product - most) / divisor));
  const total = exponentials.reduce((sum, one) => sum + one, 0);
  return exponentials.map((one) => one / total);
}

/** @param {number[]} weights @returns {number} in nats */
export const entropyOf = (weights) =>
  weights.reduce((sum, weight) => sum - (weight > 0 ? weight * Math.log(weight) : 0), 0);

const LONGEST_LIST = 12; // most keys that get a bar, those with the largest weight in the run before the change

/** @type {import("../../../pictures/browser/types").Setup} */
function divisor(_loupe, { host, save }) {
  /** @type {import("./wire").WireScaling} */
  let data = null;
  let turn = (_by) => {};
  const slider = element("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": say("attention.divisor_label"),
    oninput: () => show(),
    onchange: () => turn(data.divisors[Number(slider.value)]),
  });
  const now = element("b");
  const back = pushButton({ onclick: () => turn(data.usual) }, say("attention.back_to_root"));
  const spread = element("ul", {
    class: "divisor-bars divisor-spread",
    "aria-label": say("attention.variance"),
  });
  const bars = element("ul", { class: "divisor-bars" });
  const facts = element("dl", { class: "divisor-facts" });
  host.append(
    spread,
    element(
      "div",
      { class: "divisor-tools" },
      element(
        "label",
        { class: "loupe-field" },
        ...filled(say("attention.divide_by"), { value: now, slider }),
      ),
      back,
    ),
    element("div", { class: "divisor-shown" }, bars, facts),
  );

  const show = () => {
    const place = Number(slider.value);
    const by = data.divisors[place];
    const isUsual = Math.abs(by - data.usual) < 1e-6 * by;
    now.textContent = isUsual ? `√d_k = ${numberText(by)}` : numberText(by);
    slider.setAttribute("aria-valuetext", now.textContent);
    back.disabled = Math.abs(data.divisor - data.usual) < 1e-6;
    const weights = dividedWeights(data.products, by);
    bars.replaceChildren(...barsOf(data, weights));
    facts.replaceChildren(...factsOf(data, place, weights));
  };
  save({ name: say("attention.divisor_saved"), table: () => divisorTable(data) });
  return (given, trigger) => {
    data = given;
    turn = (by) => trigger("turn", by);
    spread.replaceChildren(...spreadOf(data));
    slider.max = String(data.divisors.length - 1);
    slider.value = String(nearest(data.divisors, data.divisor));
    show();
  };
}

function nearest(values, wanted) {
  const far = values.map((value) => Math.abs(Math.log(value / wanted)));
  return far.indexOf(Math.min(...far));
}

function barsOf({ tokens, products }, weights) {
  const order = products.map((_, i) => i).sort((a, b) => products[b] - products[a]);
  return order
    .slice(0, LONGEST_LIST)
    .map((i) =>
      element(
        "li",
        {},
        element("span", { class: "divisor-token", dir: "auto" }, tokens[i]),
        element("i", { style: `width: ${(100 * weights[i]).toFixed(2)}%` }),
        element("b", {}, percentText(weights[i])),
      ),
    );
}

// Show the variance of the head's dot products beside that of random vectors, which is d_k.
function spreadOf({ variance, d_k: random }) {
  const most = Math.max(variance, random);
  const rows = [
    [say("attention.variance_random"), random],
    [say("attention.variance_here"), variance],
  ];
  return rows.map(([name, value]) =>
    element(
      "li",
      {},
      element("span", { class: "divisor-token" }, name),
      element("i", { style: `width: ${((100 * value) / most).toFixed(2)}%` }),
      element("b", {}, numberText(value)),
    ),
  );
}

function factsOf(data, place, weights) {
  const nats = term("nat", say("attention.nats"));
  const count = Math.round(data.saturated[place] * data.rows);
  const facts = [
    [say("attention.entropy_of", { reader: data.reader }), numberText(entropyOf(weights)), nats],
    [say("attention.saturated"), say("attention.count_of", { count, rows: data.rows })],
    [say("attention.mean_entropy"), numberText(data.entropy[place]), nats.cloneNode(true)],
    [say("attention.mean_gradient"), numberText(data.gradient[place])],
  ];
  return facts.flatMap(([name, value, unit]) => [
    element("dt", {}, name),
    element("dd", {}, value, ...(unit ? [" ", unit] : [])),
  ]);
}

// Return a table of the row in view, and of the effect of each divisor on all rows.
function divisorTable({ tokens, products, divisors, saturated, entropy, gradient }) {
  return tableOf({ quantity: "text", of: "text", value: "double" }, [
    ...products.map((value, i) => ["product", tokens[i], value]),
    ...divisors.flatMap((divisor, i) => [
      ["saturated rows", divisor, saturated[i]],
      ["entropy", divisor, entropy[i]],
      ["gradient", divisor, gradient[i]],
    ]),
  ]);
}

export const components = { divisor };
