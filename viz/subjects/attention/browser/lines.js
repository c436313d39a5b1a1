// One head as text: each query on the left, each key on the right, a line for each weight that matters.

import { shortened } from "../../../pictures/browser/canvas.js";
import { cellFont } from "../../../pictures/browser/colours.js";
import { element } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";
import { weightOf } from "../../../pictures/browser/weights.js";

export const LINES_SHOWN = 44; // tokens on a side, around the selected cell, where there are more

// The first of the positions to show.
function windowStart(size, centre) {
  return size <= LINES_SHOWN
    ? 0
    : Math.max(0, Math.min(centre - LINES_SHOWN / 2, size - LINES_SHOWN));
}

// The largest weights of a row that together reach a share of it: [column, weight] pairs, the largest first.
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

// Draw the lines of a matrix of codes into `host`; `point` and `choose` as in a heat map.
export function textLines(
  host,
  { rows, columns, codes, rowTokens, columnTokens, mass, width, selected },
  { point, choose },
) {
  const size = cellFont();
  const step = size * 1.55;
  const [firstRow, firstColumn] = [
    windowStart(rows, selected.row),
    windowStart(columns, selected.column),
  ];
  const [shownRows, shownColumns] = [rows, columns].map((count) => Math.min(count, LINES_SHOWN));
  const height = Math.max(shownRows, shownColumns) * step + 4;
  const longest = Math.max(...[...rowTokens, ...columnTokens].map((token) => token.length));
  const side = Math.min(0.36 * width, (longest + 0.5) * size * 0.62);
  const y = (i) => (i + 0.5) * step + 2;
  const svg = element("svg:svg", {
    width,
    height,
    class: "loupe-lines",
    role: "img",
    "aria-label": say("attention.lines_label"),
  });
  for (let row = firstRow; row < firstRow + shownRows; row++) {
    const weights = Array.from(codes.subarray(row * columns, (row + 1) * columns), weightOf);
    for (const [column, weight] of heaviest(weights, mass)) {
      if (column < firstColumn || column >= firstColumn + shownColumns) continue;
      const [from, to] = [y(row - firstRow), y(column - firstColumn)];
      const [left, right] = [side + 4, width - side - 4];
      const middle = (left + right) / 2;
      svg.append(
        element("svg:path", {
          d: `M${left} ${from}C${middle} ${from} ${middle} ${to} ${right} ${to}`,
          "stroke-width": Math.max(0.4, weight * step * 0.42).toFixed(2),
          "data-row": row,
          "data-column": column,
        }),
      );
    }
  }
  const label = (tokens, first, count, anchor, x, name) => {
    for (let i = first; i < first + count; i++) {
      const cell = name === "row" ? { row: i } : { column: i };
      const text = element(
        "svg:text",
        {
          x,
          y: y(i - first),
          "text-anchor": anchor,
          "dominant-baseline": "central",
          class: `loupe-${name}`,
          [`data-${name}`]: i,
          onpointerenter: (event) => point(cell, event),
          onpointerleave: (event) => point(null, event),
          onclick: () => choose(cell),
        },
        shortened(tokens[i], Math.floor(side / (size * 0.62))),
      );
      svg.append(text);
    }
  };
  label(rowTokens, firstRow, shownRows, "end", side, "row");
  label(columnTokens, firstColumn, shownColumns, "start", width - side, "column");
  host.replaceChildren(svg);
  if (rows > shownRows || columns > shownColumns) {
    const shown = say("attention.lines_window", {
      first_row: firstRow,
      last_row: firstRow + shownRows - 1,
      rows,
      first_column: firstColumn,
      last_column: firstColumn + shownColumns - 1,
      columns,
    });
    host.append(element("p", { class: "loupe-note" }, shown));
  }
}

// Light up the lines and tokens of the selected cell and of the one under the pointer.
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
