// The options of a question side by side: each a word below its cell, which is covered until the answer is shown.

import { paintSmall } from "./canvas.js";
import { colours, cssColour, wordsOn } from "./colours.js";
import { element, pushButton } from "./elements.js";
import { written } from "./say.js";

const SHADES = 200;
const SMALL = 132; // pixels of a small map
const LEAST_WRITTEN = 0.005;

/** Build the row of options.
 * @param {import("./wire").WireOption[]} options
 * @param {{label: string, hasCells: boolean, choose: (name: string) => void,
 *   beside?: (option: import("./wire").WireOption) => Node | null}} how `beside`: what is shown below each option
 */
export function createStrip(options, { label, hasCells, choose, beside = () => null }) {
  const buttons = new Map();
  const node = element("ol", {
    class: `lesson-strip${hasCells ? " lesson-cells" : ""}`,
    "aria-label": label,
  });
  for (const option of options) {
    const { picture } = option;
    const drawing = picture ? element("canvas", { "aria-hidden": "true" }) : null;
    if (drawing) drawSmall(drawing, picture);
    const cell = hasCells ? element("span", { class: "lesson-cell", "aria-hidden": "true" }) : null;
    const tag = element("small", { class: "lesson-tag" });
    const button = pushButton(
      { class: "lesson-option", onclick: () => choose(option.name) },
      cell,
      drawing,
      element("bdi", {}, option.text),
    );
    buttons.set(option.name, { button, cell, tag, option });
    node.append(element("li", {}, button, tag, beside(option)));
  }
  return { node, mark: (state) => markAll(buttons, state) };
}

/** Mark the chosen options, those ruled out and, once it is known, the true answer.
 * @typedef {{guess: string[], out?: string[], truth?: string[] | null, words: {you: string, truth: string}}} State
 */
function markAll(buttons, { guess, out = [], truth = null, words }) {
  const isOver = truth !== null;
  const isOrder = guess.length > 1 || (truth?.length ?? 0) > 1;
  const palette = colours();
  for (const [name, { button, cell, tag, option }] of buttons) {
    const isGuess = guess.includes(name);
    const isTrue = isOver && (isOrder || truth.includes(name));
    button.disabled = isOver || out.includes(name);
    button.setAttribute("aria-pressed", String(isGuess));
    button.classList.toggle("lesson-guessed", isGuess);
    button.classList.toggle("lesson-true", isTrue && !isOrder);
    button.classList.toggle("lesson-out", out.includes(name) && !isOver);
    const at = (names) => (isOrder && names.includes(name) ? ` ${names.indexOf(name) + 1}` : "");
    const said = [
      isGuess && (isOver || isOrder) ? `${words.you}${at(guess)}` : "",
      isTrue ? `${words.truth}${at(truth)}` : "",
    ];
    tag.textContent = said.filter(Boolean).join(" · ");
    if (cell) paint(cell, option.weight, palette);
  }
}

// Draw a map without its tokens, only to tell it from other maps.
function drawSmall(canvas, { rows, columns, weights }) {
  const { scale } = colours();
  const shade = (place) => Math.round((weights[place] / 100) * SHADES);
  paintSmall(canvas, rows, columns, SMALL, (row, column) => scale[shade(row * columns + column)]);
}

// Colour a cell by its weight; without a weight it stays covered.
function paint(cell, weight, palette) {
  cell.classList.toggle("lesson-covered", weight === null);
  if (weight === null) return;
  const ground = palette.scale[Math.round(weight * SHADES)];
  cell.style.background = cssColour(ground);
  cell.style.color = wordsOn(ground, palette);
  cell.textContent = weight < LEAST_WRITTEN ? "" : written(weight.toFixed(2).replace(/^0/, ""));
}
