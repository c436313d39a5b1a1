// One head: its heat map, and beside the map the same weights as lines between the tokens.

import { isAsking, ringsOf } from "../../../pictures/browser/asked.js";
import { colours } from "../../../pictures/browser/colours.js";
import { element, followWidth, pushButton, roomOf } from "../../../pictures/browser/elements.js";
import {
  axisTokens,
  headName,
  isOneText,
  layerNumber,
  wholeHead,
} from "../../../pictures/browser/run.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { readsLine, tooltip } from "../../../pictures/browser/tooltip.js";
import { weightWords } from "../../../pictures/browser/weights.js";
import { createMaps } from "./head_maps.js";
import { LINES_SHOWN, markLines, textLines } from "./lines.js";
import { createPatches } from "./patches.js";
import { weightsTable } from "./weights_table.js";

const LINES_SHARE = 0.9; // share of each row's weight that the drawn lines reach
const WIDE_ENOUGH = 560; // pixels from which the lines are beside the map

/** @type {import("../../../pictures/browser/types").Setup} */
function head(loupe, { host, listen, signal, save }) {
  // What is drawn, for which state, and in how much room; and the run of which more than the prompt is shown.
  const view = { matrix: null, drawn: "", room: roomOf(host), whole: "", hasLines: false };
  const pointer = createPointer(loupe, view);
  const heading = element("h2", { class: "loupe-heading" });
  const maps = createMaps(loupe, view, roomsOf(view), pointer);
  const lines = element("div", { class: "loupe-text" });
  const patches = createPatches(loupe, view, () => linesRoom(view.room), pointer);
  const asLines = linesButton(view, () => draw());
  const gold = element("p", { class: "loupe-note" }, say("attention.gold"));
  const rest = restButton(() => {
    view.whole = loupe.selection.run;
    draw();
  });
  const pictures = element("div", { class: "loupe-pair" }, maps.node, lines, patches.node);
  host.append(heading, pictures, said(gold, maps.table.button, asLines, rest, maps.table.place));

  const drawLines = () => {
    asLines.hidden = !maps.hasLens();
    if (patches.draw() || (maps.hasLens() && !view.hasLines)) return lines.replaceChildren();
    textLines(lines, linesSpec(loupe, view.matrix, linesRoom(view.room)), pointer);
  };
  const mark = () => {
    const { query, key } = loupe.selection;
    const hover = hovered(loupe);
    maps.outline(marksOf(loupe, hover).filter((at) => isIn(view.matrix, at)));
    patches.outline(hover);
    if (host.classList.toggle("head-asks", isAsking(loupe)))
      return markLines(lines, { row: query, ...askedCell(loupe.asked) }, hover);
    markLines(lines, { row: query, column: key }, hover);
  };
  const draw = () => {
    view.room = roomOf(host);
    if (!loupe.run() || !view.room.width) return;
    view.drawn = stateOf(loupe);
    const { kind, layer, head } = loupe.selection;
    view.matrix = shownOf(loupe, view, wholeHead(loupe, kind, layer, head));
    rest.hidden = !view.matrix || view.matrix.rows === loupe.stack().rows;
    drawHeading(loupe, heading);
    gold.hidden = !goldOf(loupe).length;
    if (!view.matrix) return;
    maps.draw();
    drawLines();
    mark();
  };

  listen((what) => {
    if (!loupe.run()) return;
    if (what === "selection" && isBeyond(loupe.selection, view.matrix)) return draw();
    if (what === "run" || what === "whole_head" || view.drawn !== stateOf(loupe)) return draw();
    if (!view.matrix) return;
    if (what === "selection" && isPartShown(view.matrix, patches)) drawLines();
    if (what === "selection") maps.follow();
    mark();
  });
  followWidth(host, draw, signal);
  save({ name: say("attention.head_saved"), table: () => weightsTable(loupe, "head") });
  return draw;
}

const said = (...nodes) => element("div", { class: "head-said" }, ...nodes);

// Name the head; its name in the code and its size appear when one points at it.
function drawHeading(loupe, heading) {
  const { kind, head } = loupe.selection;
  const { rows, columns } = loupe.stack();
  const layer = layerNumber(loupe.stack(), loupe.selection.layer);
  heading.textContent = isOneText(loupe.run())
    ? say("attention.where_alone", { layer, head })
    : sayOf("attention.where", kind, { layer, head });
  heading.title = `${headName(loupe, loupe.selection)} ${rows} × ${columns}`;
}

const restButton = (onclick) =>
  pushButton({ class: "loupe-table-button head-rest", onclick }, say("attention.with_rest"));

// Create the button for the lines of a long text, which need a screen of their own.
function linesButton(view, draw) {
  const button = pushButton({ class: "loupe-table-button", "aria-expanded": "false" });
  button.textContent = say("attention.as_lines");
  button.addEventListener("click", () => {
    view.hasLines = !view.hasLines;
    button.setAttribute("aria-expanded", String(view.hasLines));
    draw();
  });
  return button;
}

// If a model continues a prompt, return the prompt alone until something after it is selected or all is asked for.
function shownOf(loupe, view, matrix) {
  const { prompt } = loupe.run();
  const { selection } = loupe;
  if (!matrix || !prompt || view.whole === selection.run) return matrix;
  const codes = new Uint16Array(prompt * prompt);
  for (let row = 0; row < prompt; row++) {
    const start = row * matrix.columns;
    codes.set(matrix.codes.subarray(start, start + prompt), row * prompt);
  }
  const cut = { rows: prompt, columns: prompt, codes };
  if (!isBeyond(selection, cut)) return cut;
  view.whole = selection.run;
  return matrix;
}

const isIn = (matrix, { row = 0, column = 0 }) => row < matrix.rows && column < matrix.columns;

const isBeyond = ({ query, key }, matrix) =>
  matrix !== null && !isIn(matrix, { row: query, column: key });

// Return the state for which a drawing remains valid.
function stateOf({ selection: { run, kind, layer, head } }) {
  return `${run} ${kind} ${layer} ${head}`;
}

// Return the room of the map, [width, height]. Beside the lines it is low enough to be seen at a glance.
function mapRoom({ width, high }) {
  const most = high ?? Math.min(560, 0.56 * innerHeight);
  const height = Math.min(Math.max(314, 0.48 * width), most);
  return width >= WIDE_ENOUGH ? [Math.round(width * 0.6), height] : [width, 620];
}
const roomsOf = (view) => ({
  alone: () => mapRoom(view.room),
  both: () => lensRoom(view.room),
});

// Return the room of a map that is too fine for labels, and of its lens, side by side if there is enough.
function lensRoom({ width, high }) {
  const height = Math.min(420, high ?? 420);
  const whole = width >= WIDE_ENOUGH ? Math.round(width * 0.54) : width;
  const lens = width >= WIDE_ENOUGH ? width - whole - 12 : width;
  return { whole: [whole, height], lens: [lens, height] };
}
function linesRoom(room) {
  const { width } = room;
  return width >= WIDE_ENOUGH ? width - mapRoom(room)[0] - 18 : Math.min(width, 420);
}

// Return whether the part beside the map shows only the selected row, or only cells around the selected one.
const isPartShown = ({ rows, columns }, patches) =>
  !patches.node.hidden || Math.max(rows, columns) > LINES_SHOWN;

function linesSpec(loupe, matrix, width) {
  const { query, key, kind } = loupe.selection;
  const { rows, columns } = axisTokens(loupe, kind);
  const named = {
    rowTokens: rows.slice(0, matrix.rows),
    columnTokens: columns.slice(0, matrix.columns),
  };
  return { ...matrix, ...named, mass: LINES_SHARE, width, selected: { row: query, column: key } };
}

// Create what the map and the lines do when they are pointed at and clicked.
function createPointer(loupe, view) {
  return {
    label: say("attention.map_label"),
    point(cell, event) {
      const { kind } = loupe.selection;
      loupe.point(cell && { kind, query: cell.row, key: cell.column });
      if (cell?.row === undefined || cell.column === undefined) return tooltip.hide();
      const { rows, columns } = axisTokens(loupe, kind);
      const weight = weightWords(view.matrix.codes[cell.row * view.matrix.columns + cell.column]);
      tooltip.show(
        event,
        readsLine(rows[cell.row], columns[cell.column]),
        say("attention.weight_is", { weight }),
      );
    },
    choose({ row, column }) {
      const query = row === undefined ? {} : { query: row };
      const key = column === undefined ? {} : { key: column };
      loupe.select({ ...query, ...key });
    },
  };
}

// Return the cell that is pointed at in any picture, if it is of this kind of attention.
function hovered({ hover, selection }) {
  return hover?.kind === selection.kind ? { row: hover.query, column: hover.key } : null;
}

// Return the row or column that a guess names.
const askedCell = ({ guess, takes }) =>
  takes.includes("query") ? { row: guess?.query } : { column: guess?.key };

// Mark the selected cell; during a question about its row only the row, and nothing if the answer is a row.
function chosenMarks({ asked, selection }, colour) {
  const takes = asked?.takes ?? [];
  if (takes.includes("query")) return [];
  const column = takes.length ? undefined : selection.key;
  return [{ row: selection.query, column, colour, width: 2.5 }];
}

// Return which source word each written word translates, if that is known and no question is open.
function goldOf(loupe) {
  const isCross = loupe.selection.kind === "cross-attention" && !isAsking(loupe);
  return (isCross && loupe.run().gold) || [];
}

function marksOf(loupe, hover) {
  const palette = colours();
  const marks = [];
  for (const [row, column] of goldOf(loupe))
    marks.push({ row, column, colour: palette.gold, dot: true });
  marks.push(...chosenMarks(loupe, palette.accent));
  marks.push(...ringsOf(loupe, palette));
  if (hover?.row !== undefined) marks.push({ row: hover.row, colour: palette.query, width: 1 });
  if (hover?.column !== undefined)
    marks.push({ column: hover.column, colour: palette.key, width: 1 });
  return marks;
}

export const components = { head };
