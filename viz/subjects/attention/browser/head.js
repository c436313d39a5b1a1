// One head: its heat map, and beside it the same weights as lines between the tokens.

import { colours, readsLine, tooltip } from "../../../pictures/browser/canvas.js";
import { choice, clamp, element, followWidth } from "../../../pictures/browser/elements.js";
import { heatmap, LEAST_LABELLED } from "../../../pictures/browser/heatmap.js";
import { numberText } from "../../../pictures/browser/numbers.js";
import { axisTokens, headName, wholeHead } from "../../../pictures/browser/run.js";
import {
  CODE_MASKED,
  CODE_ONE,
  combinedCodes,
  weightColour,
  weightWords,
} from "../../../pictures/browser/weights.js";
import { LINES_SHOWN, markLines, textLines } from "./lines.js";

const WIDE_ENOUGH = 560; // pixels from which the lines stand beside the map
const LENS_CELLS = 19; // tokens a side under the lens, where the whole map is too fine to label

function head(loupe, { host, listen, signal }) {
  let matrix = null;
  let drawn = null;

  const title = element("h2", { class: "loupe-heading" });
  const tools = element("div", { class: "loupe-tools" });
  const maps = element("div", { class: "loupe-maps" });
  const lines = element("div", { class: "loupe-text" });
  const body = element("div", { class: "loupe-pair" }, maps, lines);
  const said = element("p", { class: "loupe-said", "aria-live": "polite" });
  host.append(title, tools, body, said);

  // These stay while the head is drawn again, so that they keep the keyboard.
  const percent = element("b");
  const slider = element("input", {
    type: "range",
    min: 50,
    max: 100,
    step: 1,
    "aria-label": "share of each row's weight that the lines show",
    oninput: () => {
      percent.textContent = `${slider.value} %`;
      drawLines(Number(slider.value));
      mark();
    },
    onchange: () => loupe.adjust({ lines: Number(slider.value) }),
  });
  const goldBox = element("input", {
    type: "checkbox",
    onchange: () => loupe.adjust({ gold: goldBox.checked }),
  });
  const setTools = () => {
    slider.value = loupe.display.lines;
    percent.textContent = `${slider.value} %`;
    goldBox.checked = loupe.display.gold;
  };

  const centre = () => ({ row: loupe.selection.query, column: loupe.selection.key });
  const hovered = () => {
    const { hover, selection } = loupe;
    if (hover?.kind !== selection.kind) return null;
    return { row: hover.query ?? undefined, column: hover.key ?? undefined };
  };
  const pointer = {
    label:
      "weights of one head: rows are queries, columns are keys; the arrow keys move the selected cell",
    point(cell, event) {
      const { kind } = loupe.selection;
      if (!cell) {
        loupe.point(null);
        tooltip.hide();
        return;
      }
      loupe.point({ kind, query: cell.row, key: cell.column });
      if (cell.row !== undefined && cell.column !== undefined) {
        const tokens = axisTokens(loupe, kind);
        tooltip.show(
          event,
          readsLine(tokens.rows[cell.row], tokens.columns[cell.column]),
          `weight ${weightSaid(loupe, matrix, cell.row, cell.column)}`,
        );
      } else tooltip.hide();
    },
    choose: (cell) =>
      loupe.select({
        ...(cell.row === undefined ? {} : { query: cell.row }),
        ...(cell.column === undefined ? {} : { key: cell.column }),
      }),
  };

  const cells = (first = { row: 0, column: 0 }, size = null) => {
    const tokens = axisTokens(loupe, loupe.selection.kind);
    const { rows, columns, codes } = matrix;
    const palette = colours();
    const code = (row, column) => codes[(row + first.row) * columns + column + first.column];
    return {
      rows: size?.rows ?? rows,
      columns: size?.columns ?? columns,
      rowTokens: tokens.rows.slice(first.row, first.row + (size?.rows ?? rows)),
      columnTokens: tokens.columns.slice(first.column, first.column + (size?.columns ?? columns)),
      colourOf: (row, column) => weightColour(code(row, column), palette),
      isMasked: (row, column) => code(row, column) === CODE_MASKED,
    };
  };
  const titles = () => loupe.run().axes[loupe.selection.kind];
  const room = () => {
    const width = host.clientWidth;
    return width >= WIDE_ENOUGH ? [Math.round(width * 0.6), 640] : [width, 620];
  };

  const map = heatmap(
    maps,
    () => ({
      ...cells(),
      rowTitle: titles()[0],
      columnTitle: titles()[1],
      room: fine() ? [room()[0], 420] : room(),
    }),
    pointer,
  );

  // Where the map is too fine for labels, a lens on the cells around the pointer or the selection.
  const fine = () =>
    room()[0] / (matrix.columns + 8) < LEAST_LABELLED || 560 / matrix.rows < LEAST_LABELLED;
  let lensFirst = { row: 0, column: 0 };
  const lensSize = () => ({
    rows: Math.min(LENS_CELLS, matrix.rows),
    columns: Math.min(LENS_CELLS, matrix.columns),
  });
  const shifted = (cell) =>
    cell && {
      ...(cell.row === undefined ? {} : { row: cell.row + lensFirst.row }),
      ...(cell.column === undefined ? {} : { column: cell.column + lensFirst.column }),
    };
  const lens = heatmap(maps, () => ({ ...cells(lensFirst, lensSize()), room: room(), most: 18 }), {
    label: "the cells around the selected one, with their tokens",
    point: (cell, event) => pointer.point(shifted(cell), event),
    choose: (cell) => pointer.choose(shifted(cell)),
  });
  const focusLens = (cell) => {
    const size = lensSize();
    lensFirst = {
      row: clamp((cell.row ?? centre().row) - size.rows / 2, matrix.rows - size.rows + 1),
      column: clamp(
        (cell.column ?? centre().column) - size.columns / 2,
        matrix.columns - size.columns + 1,
      ),
    };
    lens.draw();
  };

  const state = () => {
    const { run, kind, layer, head } = loupe.selection;
    return `${run} ${kind} ${layer} ${head} ${loupe.display.shows}`;
  };
  const draw = () => {
    const run = loupe.run();
    const { selection } = loupe;
    if (!run || !host.clientWidth) return;
    drawn = state();
    matrix = shownHead(loupe, selection, loupe.display.shows);
    drawTitle(selection);
    drawTools(run, selection);
    if (!matrix) {
      said.textContent = "The whole head is on its way.";
      return;
    }
    maps.style.maxWidth = host.clientWidth >= WIDE_ENOUGH ? `${room()[0]}px` : "";
    map.draw();
    lens.frame.hidden = !fine();
    if (fine()) focusLens(centre());
    drawLines();
    mark();
  };
  const drawLines = (mass = loupe.display.lines) => {
    const tokens = axisTokens(loupe, loupe.selection.kind);
    const wide = host.clientWidth >= WIDE_ENOUGH;
    const width = wide ? host.clientWidth - room()[0] - 18 : Math.min(host.clientWidth, 420);
    const spec = {
      ...matrix,
      rowTokens: tokens.rows,
      columnTokens: tokens.columns,
      mass: mass / 100,
      width,
      selected: centre(),
    };
    textLines(lines, spec, pointer);
  };
  const drawTitle = (selection) => {
    const stack = loupe.stack();
    const { shows } = loupe.display;
    const heads =
      shows === "head"
        ? headName(loupe, selection)
        : `${headName(loupe, selection).replace(/\[\d+\]$/, "")}, ${shows} of ${stack.heads} heads`;
    title.replaceChildren(
      element("span", {}, shows === "head" ? "One head" : "One layer"),
      element("code", {}, heads),
      element("span", { class: "loupe-shape" }, `${stack.rows} × ${stack.columns}`),
    );
  };
  const drawTools = (run, selection) => {
    const { whole, heads } = loupe.stack();
    /** @type {[import("../../../pictures/browser/wire").WireDisplay["shows"], string][]} */
    const modes = [
      ["head", "This head"],
      ["mean", "Mean of heads"],
      ["maximum", "Maximum"],
    ];
    if (!whole || heads === 1) modes.length = 1;
    const links = selection.kind === "cross-attention" ? run.gold : null;
    tools.replaceChildren(
      choice("What is shown", modes, loupe.display.shows, (shows) => loupe.adjust({ shows })),
      element("label", { class: "loupe-field" }, "Lines for ", percent, " of each row ", slider),
      ...(links ? [element("label", { class: "loupe-field" }, goldBox, " Gold alignment")] : []),
    );
    setTools();
  };

  const mark = () => {
    const { selection } = loupe;
    const palette = colours();
    const hover = hovered();
    const marks = [];
    if (loupe.display.gold && selection.kind === "cross-attention")
      for (const [row, column] of loupe.run().gold ?? [])
        marks.push({ row, column, colour: palette.gold, dot: true });
    marks.push({ ...centre(), colour: palette.accent, width: 2.5 });
    if (hover?.row !== undefined) marks.push({ row: hover.row, colour: palette.query, width: 1 });
    if (hover?.column !== undefined)
      marks.push({ column: hover.column, colour: palette.key, width: 1 });
    map.outline(marks);
    if (!lens.frame.hidden) {
      const size = lensSize();
      const near = ({ row, column }) =>
        (row === undefined || (row >= lensFirst.row && row < lensFirst.row + size.rows)) &&
        (column === undefined ||
          (column >= lensFirst.column && column < lensFirst.column + size.columns));
      lens.outline(
        marks.filter(near).map((one) => ({
          ...one,
          row: one.row === undefined ? undefined : one.row - lensFirst.row,
          column: one.column === undefined ? undefined : one.column - lensFirst.column,
        })),
      );
    }
    markLines(lines, centre(), hover);
    const tokens = axisTokens(loupe, selection.kind);
    said.replaceChildren(
      readsLine(tokens.rows[selection.query], tokens.columns[selection.key]),
      `, weight ${weightSaid(loupe, matrix, selection.query, selection.key)}`,
    );
  };

  listen((what) => {
    if (!loupe.run()) return;
    if (what === "run" || what === "whole_head" || drawn !== state()) return draw();
    if (!matrix) return;
    if (what === "display") {
      setTools();
      drawLines();
    } else if (what === "selection" && (matrix.rows > LINES_SHOWN || matrix.columns > LINES_SHOWN))
      drawLines();
    if (!lens.frame.hidden && what === "selection") focusLens(centre());
    mark();
  });
  followWidth(host, draw, signal);
  return draw;
}

// The weight of a cell: exact where Python has sent it, else as far as its code goes.
function weightSaid(loupe, matrix, row, column) {
  const { selection, exact, display } = loupe;
  const code = matrix.codes[row * matrix.columns + column];
  const cell = { ...selection, query: row, key: column };
  const isExact =
    exact !== null &&
    display.shows === "head" &&
    Object.entries(exact.made).every(([name, value]) => cell[name] === value);
  return isExact && code <= CODE_ONE ? numberText(exact.weight) : weightWords(code);
}

// One head's codes, or the mean or maximum over the heads of its layer.
function shownHead(loupe, { kind, layer, head }, shows) {
  const one = wholeHead(loupe, kind, layer, head);
  const { heads, whole } = loupe.stack(kind);
  if (shows === "head" || !whole) return one;
  const all = Array.from({ length: heads }, (_, h) => wholeHead(loupe, kind, layer, h).codes);
  return { ...one, codes: combinedCodes(all, shows) };
}

export const components = { head };
