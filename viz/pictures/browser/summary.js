// What a matrix shows, for those who do not see it: a sentence on one row, and all of its numbers as a table.

import { element, pushButton } from "./elements.js";
import { percentText } from "./numbers.js";
import { say } from "./say.js";

const MOST_SAID = 3; // cells of a row that are told one by one
const LEAST_SAID = 0.01; // a weight below it is not worth a word
const MOST_LISTED = 60; // rows and columns of a table: it is read one by one

/** Say what a row of weights reads most: "it: 84% animal, 9% street".
 * @param {string} token that reads
 * @param {ArrayLike<number>} weights from 0 to 1
 * @param {(column: number) => string} nameOf
 */
export function readsSaid(token, weights, nameOf) {
  const largest = largestFirst(weights)
    .slice(0, MOST_SAID)
    .filter((column) => weights[column] >= LEAST_SAID);
  const said = largest.map(
    (column) => `${percentText(roundedShare(weights[column]))} ${nameOf(column)}`,
  );
  if (!said.length) return say("picture.reads_nothing", { token });
  return say("picture.reads", { token, shares: said.join(", ") });
}

/** Positions in a list, those of the largest magnitudes first; what is no number is left out. */
export function largestFirst(values) {
  return [...Array.from(values).keys()]
    .filter((i) => Number.isFinite(values[i]))
    .sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]));
}

// Whole percents: that is what one remembers of a sentence that is read out.
const roundedShare = (weight) => Math.round(weight * 100) / 100;

/** A button that shows a matrix as a table, and the place where it does.
 * @param {string} label of the matrix
 * @param {() => {rows: number, columns: number, rowNames: (row: number) => string,
 *   columnNames: (column: number) => string, textOf: (row: number, column: number) => string}} read
 */
export function asTable(label, read) {
  const place = element("div", {
    class: "loupe-scroll loupe-as-table",
    role: "region",
    tabindex: "0",
    "aria-label": say("picture.table_label", { label }),
    hidden: true,
  });
  const show = () => place.replaceChildren(matrixTable(label, read()));
  const button = pushButton(
    {
      class: "loupe-table-button",
      "aria-expanded": "false",
      onclick: () => {
        place.hidden = !place.hidden;
        button.setAttribute("aria-expanded", String(!place.hidden));
        if (!place.hidden) show();
      },
    },
    say("picture.as_table"),
    element("span", { class: "loupe-unseen" }, say("picture.table_of", { label })),
  );
  return { button, place, follow: () => !place.hidden && show() };
}

function matrixTable(label, { rows, columns, rowNames, columnNames, textOf }) {
  const [down, across] = [rows, columns].map((size) => [
    ...Array(Math.min(size, MOST_LISTED)).keys(),
  ]);
  const isCut = rows > MOST_LISTED || columns > MOST_LISTED;
  const cut = { label, rows: down.length, columns: across.length };
  const cell = (tag, text, attributes = {}) => element(tag, attributes, text);
  return element(
    "table",
    { class: "loupe-table" },
    element("caption", {}, isCut ? say("picture.table_cut", cut) : label),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        element("td"),
        ...across.map((column) => cell("th", columnNames(column), { scope: "col" })),
      ),
    ),
    element(
      "tbody",
      {},
      ...down.map((row) =>
        element(
          "tr",
          {},
          cell("th", rowNames(row), { scope: "row" }),
          ...across.map((column) => cell("td", textOf(row, column), { class: "loupe-number" })),
        ),
      ),
    ),
  );
}
