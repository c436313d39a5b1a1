// One head in each of two runs and the difference, side by side.

import { colours } from "../../../pictures/browser/colours.js";
import { element, roomOf } from "../../../pictures/browser/elements.js";
import { standsOut } from "../../../pictures/browser/even_rows.js";
import { heatmap, LEAST_LABELLED } from "../../../pictures/browser/heatmap.js";
import { jobsSaid } from "../../../pictures/browser/jobs.js";
import { percentText } from "../../../pictures/browser/numbers.js";
import { say, sayOf, written } from "../../../pictures/browser/say.js";
import { largestFirst } from "../../../pictures/browser/summary.js";
import { readsLine, tooltip } from "../../../pictures/browser/tooltip.js";
import {
  CODE_MASKED,
  weightColour,
  weightOf,
  weightWords,
} from "../../../pictures/browser/weights.js";
import { cellsOf, differenceOf, headOf, pairNames, placeOf } from "./paired.js";

const HEIGHT = 460; // largest height of a map, in pixels
const MOST = 34; // largest side of a cell, in pixels
const LEAST_WIDTH = 240; // smallest width of a map, in pixels
const BESIDE = 150; // pixels of the labels and titles beside the cells of a map
const GAP = 12; // pixels, a little more than half of the gap between two maps
const SIDES = /** @type {const} */ (["a", "b", "difference"]);
const TITLES = { a: "A", b: "B", difference: "B − A" };
const MOST_SAID = 3; // most cells of a row that are described one by one
const LEAST_SAID = 0.01; // smallest weight that is mentioned

/** Create the maps of the selected head, in a frame that they share.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 */
export function createMaps(loupe) {
  const state = { head: null, pointed: null, maps: [] };
  const heading = element("h2", { class: "loupe-heading" });
  const grid = element("div", { class: "compare-maps" });
  const jobs = element("p", { class: "compare-jobs" });
  const said = element("p", { class: "compare-said", role: "status" });
  const node = element(
    "section",
    { class: "compare-head", "aria-label": say("compare.selected") },
    element("div", { class: "compare-top" }, heading, jobs),
    grid,
    said,
  );
  const mark = () => state.head && markAll(state, loupe);
  state.maps = SIDES.map((side) => createMap(state, side, loupe, mark));
  grid.replaceChildren(...state.maps.map((map) => map.node));
  const draw = (data) => {
    state.head = selectedHead(loupe, data);
    if (!state.head) return;
    heading.replaceChildren(...headingParts(state.head));
    jobs.textContent = jobsSaid(loupe.runs.get(data.runs[0]), state.head, rowAt(state.head));
    grid.style.setProperty("--compare-width", `${leastWidth(state.head, grid.clientWidth)}px`);
    drawAlike(state.maps);
    said.textContent = rowSaid(state.head);
    mark();
  };
  return { node, draw, mark };
}

// Describe the row of A in view, with the key that it reads most if one stands out.
function rowAt({ row, change, cell }) {
  const codes = change.columns.map((_, column) => cell(row, column)[0]);
  const allowed = codes.filter((code) => code !== null && code !== CODE_MASKED).length;
  const weights = codes.map((code) => (code === null ? 0 : weightOf(code)));
  const most = Math.max(...weights);
  const read = change.columns[weights.indexOf(most)]?.[0];
  const of = change.rows[row]?.[0];
  if (of === undefined || of === null) return undefined;
  return { row: of, read: standsOut(most, allowed) ? read : undefined };
}

// Return the smallest width of a map with readable tokens beside it; at most half of the available width.
function leastWidth({ change }, whole) {
  const needed = BESIDE + change.columns.length * LEAST_LABELLED;
  return Math.max(LEAST_WIDTH, Math.min(needed, whole / 2 - GAP));
}

// Draw maps with cells of one size, which the map with the least room determines.
function drawAlike(maps) {
  for (const map of maps) map.draw(MOST);
  const cells = maps.map(({ map }) => map.frame.shape.cell);
  const least = Math.min(...cells);
  if (cells.some((cell) => cell !== least)) for (const map of maps) map.draw(least);
}

// Return what is drawn of the selection: both matrices in one frame; null until all of it has arrived.
function selectedHead(loupe, data) {
  const { kind, layer, head, query, key } = loupe.selection ?? {};
  const runs = data.runs.map((name) => loupe.runs.get(name));
  const change = data.kinds[kind];
  if (!change || runs.some((run) => !run) || loupe.selection.run !== data.runs[0]) return null;
  const other = change.match[layer]?.[head] ?? null;
  const heads = [headOf(runs[0], kind, layer, head), headOf(runs[1], kind, layer, other)];
  if (!heads[0]) return null;
  return {
    ...{ kind, layer, head, other, change, axes: runs[0].axes[kind] },
    names: pairNames(change, runs, kind),
    cell: cellsOf(change, heads),
    row: placeOf(change.rows, query),
    column: placeOf(change.columns, key),
  };
}

function headingParts({ kind, layer, head, other }) {
  const name = sayOf("compare.named", kind, { layer, head });
  const beside =
    other === null
      ? say("compare.no_partner")
      : other === head
        ? null
        : say("compare.beside_head", { head: other });
  return [
    element("span", {}, name),
    beside && element("span", { class: "loupe-shape" }, beside),
  ].filter(Boolean);
}

function createMap(state, side, loupe, mark) {
  const box = element("div");
  const isDifference = side === "difference";
  const map = heatmap(box, () => specOf(state, side, box), {
    label: sayOf("compare.map", side),
    point: (cell, event) => {
      state.pointed = cell;
      mark();
      if (cell) tooltip.show(event, ...linesOf(state.head, cell));
      else tooltip.hide();
    },
    choose: (cell) => choose(state.head, cell, loupe),
  });
  const legend = element(
    "span",
    { class: "compare-legend" },
    `${say("compare.less")} `,
    element("i"),
    ` ${say("compare.more")}`,
  );
  const about = isDifference ? legend : element("span", {}, sayOf("compare.run", side));
  const title = element("b", {}, TITLES[side]);
  const caption = element("figcaption", {}, title, about, map.table.button);
  return {
    node: element("figure", { class: "loupe-panel" }, caption, box),
    map,
    draw(most) {
      state.most = most;
      map.draw();
    },
  };
}

function specOf({ head, most }, side, box) {
  const { change, names, cell, axes } = head;
  const palette = colours();
  const codeAt = (row, column) => cell(row, column)[side === "b" ? 1 : 0];
  const isDifference = side === "difference";
  return {
    rows: change.rows.length,
    columns: change.columns.length,
    rowTokens: names.rows[side],
    columnTokens: names.columns[side],
    rowTitle: axes[0],
    columnTitle: axes[1],
    room: [box.clientWidth || 300, Math.min(HEIGHT, roomOf(box).high ?? HEIGHT)],
    most,
    colourOf: (row, column) =>
      isDifference
        ? differenceColour(differenceOf(cell(row, column)), palette)
        : weightColour(codeAt(row, column) ?? 0, palette),
    isMasked: (row, column) => isHatched(cell(row, column), side),
    textOf: (row, column) => cellText(cell(row, column), side),
  };
}

const differenceColour = (difference, palette) =>
  palette.diverging[Math.round((((difference ?? 0) + 1) / 2) * 200)];

// Return whether a cell is hatched: masked or missing in its run; for the difference, missing in one or masked in both.
function isHatched(codes, side) {
  const none = codes.map((code) => code === null || code === CODE_MASKED);
  if (side === "a") return none[0];
  if (side === "b") return none[1];
  return codes.includes(null) || none.every(Boolean);
}

function cellText(codes, side) {
  if (side === "difference") {
    const difference = differenceOf(codes);
    return difference === null ? say("compare.cell_alone") : signed(difference);
  }
  const code = codes[side === "b" ? 1 : 0];
  return code === null ? say("compare.no_such_token") : weightWords(code);
}

const signed = (value) => written(`${value > 0 ? "+" : ""}${value.toFixed(3).replace("-", "−")}`);

// Return the words under the pointer: who reads whom, and with which weight in each run.
function linesOf({ names, cell }, { row, column }) {
  if (row === undefined || column === undefined)
    return [names.rows.both[row] ?? names.columns.both[column]];
  const codes = cell(row, column);
  return [
    readsLine(names.rows.both[row], names.columns.both[column]),
    `A  ${cellText(codes, "a")}`,
    `B  ${cellText(codes, "b")}`,
    `B − A  ${cellText(codes, "difference")}`,
  ];
}

// Choose a cell of A in all pictures.
function choose({ change }, { row, column }, loupe) {
  const query = change.rows[row]?.[0] ?? undefined;
  const key = change.columns[column]?.[0] ?? undefined;
  const chosen = {
    ...(query === undefined ? {} : { query }),
    ...(key === undefined ? {} : { key }),
  };
  if (Object.keys(chosen).length) loupe.select(chosen);
}

// Whole percents are what a reader remembers of a sentence.
const wholePercent = (weight) => percentText(Math.round(weight * 100) / 100);

// Describe the selected row in a sentence for each run.
function rowSaid({ row, names, cell, change }) {
  if (row === undefined) return "";
  const reads = (side) => {
    const weights = change.columns.map((_, column) => weightOf(cell(row, column)[side] ?? 0));
    const name = side ? "b" : "a";
    if (change.rows[row][side] === null) return say("compare.absent");
    const words = largestFirst(weights)
      .slice(0, MOST_SAID)
      .filter((column) => weights[column] >= LEAST_SAID)
      .map((column) => `${wholePercent(weights[column])} ${names.columns[name][column]}`);
    return words.length
      ? say("compare.reads", { words: words.join(", ") })
      : say("compare.reads_nothing");
  };
  return say("compare.row_said", { token: names.rows.both[row], a: reads(0), b: reads(1) });
}

function markAll({ head, maps, pointed }, loupe) {
  const palette = colours();
  const marks = [];
  if (head.row !== undefined) {
    const isHere = loupe.selection.query === head.change.rows[head.row][0];
    if (isHere) marks.push({ row: head.row, colour: palette.query, width: 1.5 });
    if (isHere && head.column !== undefined)
      marks.push({ row: head.row, column: head.column, colour: palette.accent });
  }
  if (pointed?.row !== undefined) marks.push({ row: pointed.row, colour: palette.soft, width: 1 });
  if (pointed?.column !== undefined)
    marks.push({ column: pointed.column, colour: palette.soft, width: 1 });
  for (const { map } of maps) map.outline(marks);
}
