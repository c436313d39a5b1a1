// A map with a number for each position and column; the rows of a text are framed and labelled with its words.

import { context2d, paintCells, shortened } from "../../../pictures/browser/canvas.js";
import { colours } from "../../../pictures/browser/colours.js";
import { element, followWidth, roomOf } from "../../../pictures/browser/elements.js";
import { largestOf, numberText } from "../../../pictures/browser/numbers.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say } from "../../../pictures/browser/say.js";
import { asTable } from "../../../pictures/browser/summary.js";
import { tooltip } from "../../../pictures/browser/tooltip.js";
import { placeSaid, ticksOf, wordPlaces } from "./encodings.js";

/** A map with the colour of each of its numbers, from -1 to 1.
 * @typedef {import("./wire").WirePositionMap & {values: Float32Array, shades: Float32Array, largest: number}} Shown
 */
/** Where the cells are, in pixels; `size` is the size of letters.
 * @typedef {{x: number, y: number, cell: number, high: number, rows: number, columns: number, width: number,
 *   height: number, size: number}} Shape
 */

const HIGH = 244; // pixels of all cells together
const USUAL = 12.5; // size of letters, in pixels, for which these numbers are made
const [ABOVE, BELOW, RIGHT, EDGE] = [28, 40, 52, 8];
const LONGEST = 11; // most letters of a word
const REACH = 24; // pixels from a word to its row
const LETTER = 0.62; // width of a letter, in sizes of letters
const [BAR, BAR_HIGH] = [160, 10];
const DIGITS = 6;

/** The texts of each kind of map. */
const KINDS = {
  encoding: {
    title: () => say("positions.all_numbers"),
    alt: (length, count) => say("positions.map_alt", { length, count }),
    across: () => say("positions.dimension_axis"),
    columns: "dimension",
    values: "value",
    said: (place, dimension, value) =>
      say("positions.number_at", { place, dimension, value: numberText(value, DIGITS) }),
  },
  angles: {
    title: () => say("positions.angles"),
    alt: () => say("positions.angles"),
    across: () => say("positions.angles_axis"),
    columns: "pair",
    values: "degrees",
    said: (place, pair, angle) => say("positions.angle_at", { place, pair, angle }),
  },
};

/** @type {import("../../../pictures/browser/types").Setup} */
function showPositionMap(_loupe, { host, listen, signal, save }) {
  /** @type {{map: Shown, shape: Shape, tell: (event: string, value: any) => void}} */
  const state = { map: null, shape: null, tell: null };
  const base = element("canvas", { class: "loupe-canvas", "aria-hidden": "true" });
  const frame = element("div", { class: "positions-map" }, base);
  let table = null;
  const draw = () => {
    if (!state.map || !host.clientWidth) return;
    const { width, high } = roomOf(host);
    state.shape = layoutOf(state.map, width, high);
    Object.assign(frame, { shape: state.shape }); // where the cells are, for code that measures the picture
    paint(base, state.map, state.shape);
    frame.style.height = `${state.shape.height}px`;
    frame.replaceChildren(base, drawing(state.map, state.shape));
    frame.classList.toggle("positions-chooses", state.map.chooses);
    table.follow();
  };
  const point = (event) => pointAt(event, frame, state);
  frame.addEventListener("pointermove", point);
  frame.addEventListener("pointerleave", point);
  frame.addEventListener("click", (event) => {
    const cell = state.map.chooses && cellUnder(event, frame, state.shape);
    if (cell) state.tell("choose", { position: cell.row, dimension: cell.column });
  });
  listen((what) => what === "run" && draw());
  followWidth(host, draw, signal);
  save({ name: say("positions.map_saved"), table: () => mapTable(state.map) });
  return ({ meta, values }, tell) => {
    state.tell = tell;
    state.map = shownOf(meta, values.getChild("value").toArray());
    if (!table) {
      table = asTable(KINDS[meta.kind].title(), () => tableRead(state.map));
      host.append(frame, table.button, table.place);
    }
    draw();
  };
}

/** @returns {Shown} */
function shownOf(meta, values) {
  if (meta.kind === "angles")
    return {
      ...meta,
      values,
      shades: values.map((at) => Math.cos((at * Math.PI) / 180)),
      largest: 1,
    };
  const largest = largestOf(values) || 1;
  return { ...meta, values, shades: values.map((value) => value / largest), largest };
}

/** @returns {Shape} */
function layoutOf({ kind, rows, columns, words }, width, most) {
  const { size } = colours();
  const scale = size / USUAL;
  const names = [KINDS[kind].across(), ...words.map((word) => shortened(word, LONGEST))];
  const letters = Math.max(...names.map((name) => [...name].length));
  const [x, y] = [Math.round(EDGE + REACH + LETTER * size * letters), Math.round(ABOVE * scale)];
  const below = BELOW * scale;
  const all = most ? Math.max(HIGH, most - y - below) : HIGH * scale;
  const cell = Math.max(1, width - x - Math.round(RIGHT * scale)) / columns;
  return {
    x,
    y,
    cell,
    high: all / rows,
    rows,
    columns,
    width,
    height: Math.ceil(y + all + below),
    size,
  };
}

function paint(canvas, { rows, columns, shades }, shape) {
  const { diverging } = colours();
  const context = context2d(canvas, shape.width, shape.height);
  const place = { ...shape, gap: 0 };
  const colourOf = (row, column) =>
    diverging[Math.round(100 * (shades[row * columns + column] + 1))];
  paintCells(context, rows, columns, place, colourOf);
  const [x, y] = barPlace(shape);
  const bar = { x, y, cell: BAR / diverging.length, high: BAR_HIGH, gap: 0 };
  paintCells(context, 1, diverging.length, bar, (_row, column) => diverging[column]);
}

const barPlace = ({ x, y, high, rows, size }) => [x, y + high * rows + 0.7 * size];

/** Draw everything but the cells.
 * @param {Shown} map
 * @param {Shape} shape
 */
function drawing(map, shape) {
  const { width, height } = shape;
  const palette = colours();
  const { rows, columns, words, picked, kind } = map;
  const said = KINDS[kind].alt(rows, columns);
  const also = picked ? `. ${cellSaid(map, picked.position, picked.dimension)}` : "";
  const count = Math.min(words.length, rows);
  return element(
    "svg:svg",
    { width, height, role: "img", tabindex: "0", "aria-label": said + also },
    ...axesOf(map, shape, palette),
    ...barWords(map, shape, palette),
    ...namesOf(words.slice(0, rows), shape, palette),
    count ? boxOf(shape, 0, count, 0, columns, palette.accent, 2) : null,
    ...(picked ? framesOf(picked, shape, palette) : []),
    element("svg:g", { class: "positions-pointed", "data-unsaved": true }),
  );
}

const framesOf = ({ position, dimension }, shape, { panel, accent }) =>
  [
    [panel, 6], // so that the frame is visible on every colour
    [accent, 3],
  ].map(([colour, wide]) =>
    boxOf(shape, position, position + 1, dimension, dimension + 1, colour, wide),
  );

const boxOf = ({ x, y, cell, high }, from, to, first, last, stroke, wide) =>
  element("svg:rect", {
    ...{ x: x + first * cell, y: y + from * high },
    ...{ width: (last - first) * cell, height: (to - from) * high },
    ...{ fill: "none", stroke, "stroke-width": wide },
  });

const wordAt = (x, y, anchor, text, { soft, size }, more = {}) =>
  element(
    "svg:text",
    { x, y, fill: soft, "font-size": size, "text-anchor": anchor, ...more },
    text,
  );

// Label the columns and rows with numbers, and name what they count.
function axesOf({ kind, rows, columns }, { x, y, cell, high, size, width }, palette) {
  const right = x + columns * cell;
  const room = Math.floor((right - x) / (2.4 * size));
  const middle = y + (rows * high) / 2;
  const turned = { transform: `rotate(90 ${width - 0.9 * size} ${middle})` };
  return [
    wordAt(x - 12, y - 0.6 * size, "end", KINDS[kind].across(), palette),
    ...ticksOf(columns, room).map((at) =>
      wordAt(x + (at + 0.5) * cell, y - 0.6 * size, "middle", String(at), palette),
    ),
    ...ticksOf(rows).map((at) =>
      wordAt(right + 0.5 * size, y + (at + 0.5) * high + 0.35 * size, "start", String(at), palette),
    ),
    wordAt(width - 0.9 * size, middle, "middle", say("positions.position_axis"), palette, turned),
  ];
}

function barWords({ largest }, shape, palette) {
  const [x, y] = barPlace(shape);
  const text = largest === 1 ? "1" : numberText(largest);
  const below = y + BAR_HIGH + 1.1 * shape.size;
  return [`−${text}`, "0", text].map((word, at) =>
    wordAt(x + (at * BAR) / 2, below, "middle", word, palette),
  );
}

// Draw the words, each connected to its row by a line.
function namesOf(words, { x, y, high, rows, size }, palette) {
  const most = Math.floor((rows * high) / (1.05 * size));
  return wordPlaces(words.length, rows, most).flatMap(([word, place]) => {
    const [row, beside] = [word, place].map((at) => y + (at + 0.5) * high);
    const name = shortened(words[word], LONGEST);
    const look = { class: "positions-name", fill: palette.ink, "font-family": palette.font };
    return [
      element("svg:line", {
        ...{ x1: x - REACH + 2, y1: beside, x2: x - 2, y2: row, stroke: palette.hatch },
        "data-row": word,
      }),
      wordAt(x - REACH, beside + 0.35 * size, "end", name, palette, look),
    ];
  });
}

function cellUnder({ clientX, clientY }, frame, { x, y, cell, high, rows, columns }) {
  const box = frame.getBoundingClientRect();
  const column = Math.floor((clientX - box.left - x) / cell);
  const row = Math.floor((clientY - box.top - y) / high);
  return row >= 0 && row < rows && column >= 0 && column < columns ? { row, column } : null;
}

// Show the number under the pointer, and mark its row and column.
function pointAt(event, frame, state) {
  const { map, shape } = state;
  if (!shape) return;
  const cell = event.type === "pointerleave" ? null : cellUnder(event, frame, shape);
  if (cell) tooltip.show(event, cellSaid(map, cell.row, cell.column));
  else tooltip.hide();
  const marks = frame.querySelector(".positions-pointed");
  const { query, key } = colours();
  const { row, column } = cell ?? {};
  const lines = cell
    ? [
        boxOf(shape, row, row + 1, 0, shape.columns, query, 1),
        boxOf(shape, 0, shape.rows, column, column + 1, key, 1),
      ]
    : [];
  marks.replaceChildren(...lines);
}

const cellSaid = ({ kind, words, columns, values }, row, column) =>
  KINDS[kind].said(placeSaid(row, words), column, values[row * columns + column]);

const tableRead = ({ kind, rows, columns, words, values }) => ({
  rows,
  columns,
  rowNames: (row) => placeSaid(row, words),
  columnNames: String,
  textOf: (row, column) =>
    numberText(values[row * columns + column], kind === "angles" ? DIGITS : undefined),
});

function mapTable({ kind, columns, words, values }) {
  const { columns: across, values: numbers } = KINDS[kind];
  const kinds = { position: "whole", token: "text", [across]: "whole", [numbers]: "single" };
  const rows = Array.from(values, (value, i) => {
    const row = Math.floor(i / columns);
    return [row, words[row] ?? "", i % columns, value];
  });
  return tableOf(kinds, rows);
}

export const components = { position_map: showPositionMap };
