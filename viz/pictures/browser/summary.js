// A matrix described for people who cannot see it: a sentence on one row, and all numbers as a table.

import { element, pushButton } from "./elements.js";
import { percentText } from "./numbers.js";
import { say } from "./say.js";

const MOST_SAID = 3; // maximum number of a row's cells that are read out one by one
const LEAST_SAID = 0.01; // smaller weights are left out
const MOST_LISTED = 60; // maximum for rows and columns of a table, which a screen reader reads cell by cell

/** Describe what a row of weights reads most, as in "it: 84% animal, 9% street".
 * @param {string} token the token that reads
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

/** Return the indices of a list's finite numbers, those of the largest magnitudes first. */
export function largestFirst(values) {
  return [...Array.from(values).keys()]
    .filter((i) => Number.isFinite(values[i]))
    .sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]));
}

// Round to whole percents, which a listener can remember.
const roundedShare = (weight) => Math.round(weight * 100) / 100;

/** Make a button that shows a matrix as a table, and the element for that table.
 * @param {string} label the label of the matrix
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
