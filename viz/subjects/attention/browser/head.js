// One head: its heat map, and beside it the same weights as lines between the tokens.

import { isAsking, ringsOf } from "../../../pictures/browser/asked.js";
import { colours } from "../../../pictures/browser/colours.js";
import { element, followWidth } from "../../../pictures/browser/elements.js";
import { filled } from "../../../pictures/browser/filled.js";
import { axisTokens } from "../../../pictures/browser/run.js";
import { say } from "../../../pictures/browser/say.js";
import { readsLine, tooltip } from "../../../pictures/browser/tooltip.js";
import { createMaps } from "./head_maps.js";
import { createHeading, createTools } from "./head_tools.js";
import { rowWords, shownHead, weightSaid } from "./head_weights.js";
import { LINES_SHOWN, markLines, textLines } from "./lines.js";
import { weightsTable } from "./weights_table.js";

const WIDE_ENOUGH = 560; // pixels from which the lines stand beside the map

/** @type {import("../../../pictures/browser/types").Setup} */
function head(loupe, { host, listen, signal, save }) {
  const view = { matrix: null, drawn: "" }; // what is drawn, and the state that it was drawn for
  const pointer = createPointer(loupe, view);
  const heading = createHeading(loupe);
  const tools = createTools(loupe, (share) => {
    drawLines(share);
    mark();
  });
  const maps = createMaps(loupe, view, () => mapRoom(host), pointer);
  const lines = element("div", { class: "loupe-text" });
  const said = element("p", { class: "loupe-said", "aria-live": "polite" });
  const row = element("p", { class: "loupe-note loupe-row-said" });
  host.append(
    heading.node,
    tools.node,
    element("div", { class: "loupe-pair" }, maps.node, lines),
    element("div", { class: "head-said" }, said, row, maps.table.button, maps.table.place),
  );

  const drawLines = (share = loupe.display.lines) =>
    textLines(lines, linesSpec(loupe, view.matrix, linesRoom(host), share / 100), pointer);
  const mark = () => {
    const { query, key } = loupe.selection;
    const hover = hovered(loupe);
    maps.outline(marksOf(loupe, hover));
    if (host.classList.toggle("head-asks", isAsking(loupe)))
      return markLines(lines, { row: query, ...askedCell(loupe.asked) }, hover);
    markLines(lines, { row: query, column: key }, hover);
    said.replaceChildren(...cellParts(loupe, view.matrix));
    row.replaceChildren(...rowParts(loupe, view.matrix));
  };
  const draw = () => {
    if (!loupe.run() || !host.clientWidth) return;
    view.drawn = stateOf(loupe);
    view.matrix = shownHead(loupe, loupe.selection, loupe.display.shows);
    heading.draw();
    tools.draw();
    if (!view.matrix) {
      said.textContent = say("attention.whole_on_its_way");
      return;
    }
    maps.draw();
    drawLines();
    mark();
  };

  listen((what) => {
    if (!loupe.run()) return;
    if (what === "run" || what === "whole_head" || view.drawn !== stateOf(loupe)) return draw();
    if (!view.matrix) return;
    if (what === "display") tools.show();
    if (what === "display" || (what === "selection" && isPartShown(view.matrix))) drawLines();
    if (what === "selection") maps.follow();
    mark();
  });
  followWidth(host, draw, signal);
  save({ name: say("attention.head_saved"), table: () => weightsTable(loupe, "head") });
  return draw;
}

// What the selected row reads of the selected key.
function cellParts(loupe, matrix) {
  const { query, key, kind } = loupe.selection;
  const { rows, columns } = axisTokens(loupe, kind);
  const weight = weightSaid(loupe, matrix, query, key);
  return [readsLine(rows[query], columns[key]), `, ${say("attention.weight_is", { weight })}`];
}

// What the selected row reads, after its token.
function rowParts(loupe, matrix) {
  const { query, kind } = loupe.selection;
  const token = element("b", { class: "loupe-query" }, axisTokens(loupe, kind).rows[query]);
  const shares = rowWords(loupe, matrix, query);
  const told = shares ? say("attention.row_reads") : say("attention.row_reads_nothing");
  return filled(told, { token, shares });
}

// What has to be the same for a drawing to stay.
function stateOf({ selection, display }) {
  const { run, kind, layer, head } = selection;
  return `${run} ${kind} ${layer} ${head} ${display.shows}`;
}

// The room of the map, [width, height], and the width of the lines. Beside them it is no higher than a glance takes in.
function mapRoom({ clientWidth: width }) {
  const height = Math.max(314, Math.min(0.48 * width, 560));
  return width >= WIDE_ENOUGH ? [Math.round(width * 0.6), height] : [width, 620];
}
function linesRoom(host) {
  const width = host.clientWidth;
  return width >= WIDE_ENOUGH ? width - mapRoom(host)[0] - 18 : Math.min(width, 420);
}

// Whether the lines are those around the selected cell alone.
const isPartShown = ({ rows, columns }) => Math.max(rows, columns) > LINES_SHOWN;

function linesSpec(loupe, matrix, width, mass) {
  const { query, key, kind } = loupe.selection;
  const { rows, columns } = axisTokens(loupe, kind);
  const selected = { row: query, column: key };
  return { ...matrix, rowTokens: rows, columnTokens: columns, mass, width, selected };
}

// What the map and the lines do when they are pointed at, and clicked.
function createPointer(loupe, view) {
  return {
    label: say("attention.map_label"),
    point(cell, event) {
      const { kind } = loupe.selection;
      loupe.point(cell && { kind, query: cell.row, key: cell.column });
      if (cell?.row === undefined || cell.column === undefined) return tooltip.hide();
      const { rows, columns } = axisTokens(loupe, kind);
      const weight = weightSaid(loupe, view.matrix, cell.row, cell.column);
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

// The cell under the pointer, wherever that is, if it is one of this kind of attention.
function hovered({ hover, selection }) {
  return hover?.kind === selection.kind ? { row: hover.query, column: hover.key } : null;
}

// The row and column that a guess names.
const askedCell = ({ guess, takes }) =>
  takes.includes("query") ? { row: guess?.query } : { column: guess?.key };

// The selected cell; while something is asked about its row the row alone, and none where rows are the answer.
function chosenMarks({ asked, selection }, colour) {
  const takes = asked?.takes ?? [];
  if (takes.includes("query")) return [];
  const column = takes.length ? undefined : selection.key;
  return [{ row: selection.query, column, colour, width: 2.5 }];
}

function marksOf(loupe, hover) {
  const { selection, display } = loupe;
  const palette = colours();
  const marks = [];
  if (display.gold && selection.kind === "cross-attention")
    for (const [row, column] of loupe.run().gold ?? [])
      marks.push({ row, column, colour: palette.gold, dot: true });
  marks.push(...chosenMarks(loupe, palette.accent));
  marks.push(...ringsOf(loupe, palette));
  if (hover?.row !== undefined) marks.push({ row: hover.row, colour: palette.query, width: 1 });
  if (hover?.column !== undefined)
    marks.push({ column: hover.column, colour: palette.key, width: 1 });
  return marks;
}

export const components = { head };
