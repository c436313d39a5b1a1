// One head as text: each query on the left, each key on the right, and a line for each weight that matters.

import { shortened } from "../../../pictures/browser/canvas.js";
import { cellFont } from "../../../pictures/browser/colours.js";
import { element } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";
import { weightOf } from "../../../pictures/browser/weights.js";

export const LINES_SHOWN = 44; // most tokens on a side; of a longer text, those around the selected cell

// Return the first of the positions to show.
function windowStart(size, centre) {
  return size <= LINES_SHOWN
    ? 0
    : Math.max(0, Math.min(centre - LINES_SHOWN / 2, size - LINES_SHOWN));
}

// Return the largest weights of a row that together reach a share of it: [column, weight] pairs, the largest first.
export function heaviest(weights, mass) {
  const order = [...weights.keys()]
    .filter((i) => weights[i] > 0)
    .sort((a, b) => weights[b] - weights[a]);
  const total = order.reduce((sum, i) => sum + weights[i], 0);
  const kept = [];
  for (let i = 0, sum = 0; i < order.length && sum < mass * total; i++) {
    kept.push([order[i], weights[order[i]]]);
    sum += weights[order[i]];
  }
  return kept;
}

// Draw the lines of a matrix of codes into `host`; `point` and `choose` work as in a heat map.
export function textLines(host, matrix, told) {
  const { rows, columns, rowTokens, columnTokens, width, selected } = matrix;
  const size = cellFont();
  const step = size * 1.45;
  const [row, column] = [windowStart(rows, selected.row), windowStart(columns, selected.column)];
  const [high, wide] = [rows, columns].map((count) => Math.min(count, LINES_SHOWN));
  const shown = { row: { first: row, count: high }, column: { first: column, count: wide } };
  const longest = Math.max(...[...rowTokens, ...columnTokens].map((token) => token.length));
  const side = Math.min(0.36 * width, (longest + 0.5) * size * 0.62);
  const y = (i) => (i + 0.5) * step + 2;
  const label = (name, tokens, i) => {
    const place = { x: name === "row" ? side : width - side, y: y(i - shown[name].first) };
    const text = shortened(tokens[i], Math.floor(side / (size * 0.62)));
    return tokenLabel(name, i, text, place, told);
  };
  const svg = element(
    "svg:svg",
    {
      width,
      height: Math.max(high, wide) * step + 4,
      class: "loupe-lines",
      role: "img",
      "aria-label": say("attention.lines_label"),
    },
    ...weightLines(matrix, shown, { y, step, ends: [side + 4, width - side - 4] }),
    ...numbers(shown.row).map((i) => label("row", rowTokens, i)),
    ...numbers(shown.column).map((i) => label("column", columnTokens, i)),
  );
  host.replaceChildren(svg);
  if (rows > high || columns > wide) {
    const along = { first_row: row, last_row: row + high - 1, rows };
    const across = { first_column: column, last_column: column + wide - 1, columns };
    const words = say("attention.lines_window", { ...along, ...across });
    host.append(element("p", { class: "loupe-note" }, words));
  }
}

const numbers = ({ first, count }) => Array.from({ length: count }, (_, i) => first + i);

// Create a line for each of the heaviest weights of each row that is shown.
function weightLines({ columns, codes, mass }, shown, { y, step, ends: [left, right] }) {
  const middle = (left + right) / 2;
  return numbers(shown.row).flatMap((row) => {
    const weights = Array.from(codes.subarray(row * columns, (row + 1) * columns), weightOf);
    const { first, count } = shown.column;
    const kept = heaviest(weights, mass).filter(([at]) => at >= first && at < first + count);
    return kept.map(([column, weight]) => {
      const [from, to] = [y(row - shown.row.first), y(column - first)];
      return element("svg:path", {
        d: `M${left} ${from}C${middle} ${from} ${middle} ${to} ${right} ${to}`,
        "stroke-width": Math.max(0.4, weight * step * 0.42).toFixed(2),
        "data-row": row,
        "data-column": column,
      });
    });
  });
}

function tokenLabel(name, i, text, place, { point, choose }) {
  return element(
    "svg:text",
    {
      ...place,
      "text-anchor": name === "row" ? "end" : "start",
      "dominant-baseline": "central",
      class: `loupe-${name}`,
      [`data-${name}`]: i,
      onpointerenter: (event) => point({ [name]: i }, event),
      onpointerleave: (event) => point(null, event),
      onclick: () => choose({ [name]: i }),
    },
    text,
  );
}

// Highlight the lines and tokens of the selected cell and of the one under the pointer.
export function markLines(host, selected, hovered) {
  const lit = (node, cell) =>
    cell &&
    (node.dataset.row === undefined ||
      cell.row === undefined ||
      Number(node.dataset.row) === cell.row) &&
    (node.dataset.column === undefined ||
      cell.column === undefined ||
      Number(node.dataset.column) === cell.column);
  const named = (node, cell) =>
    cell &&
    (Number(node.dataset.row ?? -1) === cell.row ||
      Number(node.dataset.column ?? -1) === cell.column);
  for (const path of host.querySelectorAll("path")) {
    path.classList.toggle("loupe-lit", Number(path.dataset.row) === selected.row);
    path.classList.toggle("loupe-pointed", Boolean(lit(path, hovered)));
  }
  for (const text of host.querySelectorAll("text")) {
    text.classList.toggle("loupe-lit", Boolean(named(text, selected)));
    text.classList.toggle("loupe-pointed", Boolean(named(text, hovered)));
  }
  host.querySelector("svg")?.classList.toggle("loupe-dimmed", Boolean(hovered));
}
