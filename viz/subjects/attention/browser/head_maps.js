// The heat map of a head. If it is too fine for labels, a lens shows the cells around the selected one. An image has a
// picture of its own instead of a lens.

import { colours } from "../../../pictures/browser/colours.js";
import { clamp, element } from "../../../pictures/browser/elements.js";
import { heatmap, LEAST_LABELLED } from "../../../pictures/browser/heatmap.js";
import { axisTokens } from "../../../pictures/browser/run.js";
import { say } from "../../../pictures/browser/say.js";
import {
  CODE_COVERED,
  CODE_MASKED,
  weightColour,
  weightWords,
} from "../../../pictures/browser/weights.js";
import { imageOf, strengthOf } from "./patches.js";

const LENS_CELLS = 19; // tokens per side

/** Create the two maps of `view.matrix`.
 * @param {{alone: () => number[], both: () => {whole: number[], lens: number[]}}} rooms width and height of the map alone,
 *   and of both the map and a lens beside it
 */
export function createMaps(loupe, view, rooms, pointer) {
  const { alone: room, both } = rooms;
  const node = element("div", { class: "loupe-maps" });
  const isText = () => !imageOf(axisTokens(loupe, loupe.selection.kind).columns);
  const isFine = () =>
    room()[0] / (view.matrix.columns + 8) < LEAST_LABELLED ||
    560 / view.matrix.rows < LEAST_LABELLED;
  const whole = () => ({ row: 0, column: 0, rows: view.matrix.rows, columns: view.matrix.columns });
  const map = heatmap(
    node,
    () => {
      const [rowTitle, columnTitle] = loupe.run().axes[loupe.selection.kind];
      const area = isFine() ? (isText() ? both().whole : [room()[0], 420]) : room();
      const { codes, columns } = view.matrix;
      const textOf = (row, column) => weightWords(codes[row * columns + column]);
      return { ...cellsOf(loupe, view.matrix, whole()), rowTitle, columnTitle, room: area, textOf };
    },
    pointer,
  );
  const lens = createLens(loupe, view, node, () => both().lens, pointer);
  return {
    node,
    table: map.table,
    hasLens: () => isFine() && isText(),
    draw() {
      node.style.maxWidth = isFine() && isText() ? "" : `${room()[0]}px`;
      map.draw();
      lens.show(isFine() && isText());
    },
    outline(marks) {
      map.outline(marks);
      lens.outline(marks);
    },
    follow: lens.follow,
  };
}

function createLens(loupe, view, node, room, pointer) {
  let window = { row: 0, column: 0, rows: 0, columns: 0 };
  const inWhole = (cell) => cell && moved(cell, window.row, window.column);
  const map = heatmap(
    node,
    () => ({ ...cellsOf(loupe, view.matrix, window), room: room(), most: 18 }),
    {
      label: say("attention.lens_label"),
      point: (cell, event) => pointer.point(inWhole(cell), event),
      choose: (cell) => pointer.choose(inWhole(cell)),
    },
  );
  const follow = () => {
    if (map.frame.hidden) return;
    window = windowAround(loupe.selection, view.matrix);
    map.draw();
  };
  return {
    follow,
    show(isShown) {
      map.frame.hidden = !isShown;
      follow();
    },
    outline(marks) {
      if (map.frame.hidden) return;
      const near = marks.filter((mark) => isWithin(mark, window));
      map.outline(near.map((mark) => ({ ...mark, ...moved(mark, -window.row, -window.column) })));
    },
  };
}

// Return the cells around the selected one.
function windowAround({ query, key }, matrix) {
  const [rows, columns] = [matrix.rows, matrix.columns].map((size) => Math.min(LENS_CELLS, size));
  return {
    rows,
    columns,
    row: clamp(query - rows / 2, matrix.rows - rows + 1),
    column: clamp(key - columns / 2, matrix.columns - columns + 1),
  };
}

function isWithin({ row, column }, window) {
  const isOn = (place, first, size) =>
    place === undefined || (place >= first && place < first + size);
  return isOn(row, window.row, window.rows) && isOn(column, window.column, window.columns);
}

// Move a cell, or a whole row or column.
function moved({ row, column }, down, across) {
  return {
    row: row === undefined ? undefined : row + down,
    column: column === undefined ? undefined : column + across,
  };
}

// Return a window of a matrix of codes, for a heat map.
function cellsOf(loupe, { columns, codes }, window) {
  const tokens = axisTokens(loupe, loupe.selection.kind);
  const palette = colours();
  const strength = strengthOf(tokens.columns, codes);
  const code = (row, column) => codes[(row + window.row) * columns + column + window.column];
  return {
    rows: window.rows,
    columns: window.columns,
    rowTokens: tokens.rows.slice(window.row, window.row + window.rows),
    columnTokens: tokens.columns.slice(window.column, window.column + window.columns),
    colourOf: (row, column) => weightColour(strength(code(row, column)), palette),
    isMasked: (row, column) => code(row, column) === CODE_MASKED,
    isCovered: (row, column) => code(row, column) === CODE_COVERED,
  };
}
