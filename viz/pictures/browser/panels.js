// Matrices side by side that share the hovered cell: the steps of attention, the masks of a batch, any tensor.

import { cellFont, colours } from "./colours.js";
import { element, followWidth } from "./elements.js";
import { heatmap } from "./heatmap.js";
import { numberText } from "./numbers.js";
import { tableOf } from "./saving/table.js";
import { say } from "./say.js";
import { largestFirst, readsSaid } from "./summary.js";
import { readsLine, tooltip } from "./tooltip.js";

const MADE_FOR = 12.5; // the font size in pixels for which Python computes the sizes of panels
const MAY_READ = 50; // of 200 colours: one that is not mistaken for a weight of 1

/** @type {import("./types").Setup} */
function showPanels(loupe, { host, listen, signal, save }) {
  const state = {
    panels: [],
    width: 0, // of a panel, in pixels at the usual font size
    groups: new Map(), // group -> its panels, which react to the pointer together
    outlined: null, // a chosen cell by its axes, for axes that are not of attention
    own: null, // {group, and a cell by its axes} under the pointer, for axes that are not of attention
  };
  const grid = element("div", { class: "loupe-panel-grid" });
  host.append(grid);

  const mark = () => {
    if (!loupe.selection) return;
    for (const panel of state.panels) panel.map.outline(marksOf(panel, state, loupe));
  };
  const draw = () => {
    if (!host.clientWidth) return;
    grid.style.setProperty("--panel-width", `${forLetters(state.width)}px`); // at the current font size
    for (const panel of state.panels) panel.map.draw();
    mark();
  };
  const point = (panel, cell, event) => {
    state.own = cell && { group: panel.group, ...placeOf(panel, cell) };
    loupe.point(cell && { kind: panel.group, ...inWhole(panel, placeOf(panel, cell)) });
    mark();
    if (cell) tooltip.show(event, ...linesOf(panel, cell, state));
    else tooltip.hide();
  };
  const build = ({ meta, ...tables }, tellChoice) => {
    state.panels = unpackPanels(meta.panels, tables);
    state.groups = Map.groupBy(state.panels, ({ group }) => group);
    state.width = meta.width;
    const events = (panel) => ({
      point: (cell, event) => point(panel, cell, event),
      choose: (cell) => {
        if (meta.selects) loupe.select(inWhole(panel, placeOf(panel, cell)));
        else if (meta.chooses) tellChoice("choose", placeOf(panel, cell));
      },
    });
    grid.replaceChildren(...state.panels.map((panel) => figure(panel, meta, events(panel))));
  };

  listen((what) => {
    if (what === "run") draw();
    else mark();
  });
  followWidth(host, draw, signal);
  save({ name: say("picture.matrices"), table: () => panelsTable(state.panels) });
  let shown = null;
  return (data, tellChoice) => {
    if (data.meta !== shown) build(data, tellChoice);
    shown = data.meta;
    state.outlined = data.outlined ?? null;
    draw();
  };
}

// Give each panel its own part of the numbers.
function unpackPanels(panels, tables) {
  const values = tables.values.getChild("value").toArray();
  const masks = tables.masks?.getChild("masked").toArray();
  return panels.map((panel) => {
    const size = panel.rows * panel.columns;
    return {
      ...panel,
      values: values.subarray(panel.offset, panel.offset + size),
      masked: panel.masked === null ? null : masks.subarray(panel.masked, panel.masked + size),
    };
  });
}

// Make a panel under its heading; `panel.map` draws it.
function figure(panel, meta, { point, choose }) {
  const box = element("div");
  const label = `${panel.title}${panel.note ? `, ${panel.note}` : ""}`;
  panel.map = heatmap(box, () => specOf(panel, meta, box), { label, point, choose });
  return element(
    "figure",
    { class: "loupe-panel" },
    element(
      "figcaption",
      {},
      element("b", {}, panel.title),
      panel.code ? element("code", {}, panel.code) : null,
      panel.note ? element("span", {}, panel.note) : null,
      panel.map.table.button,
    ),
    box,
  );
}

function specOf(panel, meta, box) {
  const palette = colours();
  const stops = panel.scale === "signed" ? palette.diverging : palette.scale;
  const { rows, columns, rowTokens, columnTokens, rowTitle, columnTitle } = panel;
  return {
    rows,
    columns,
    rowTokens,
    columnTokens,
    rowTitle,
    columnTitle,
    room: [box.clientWidth || meta.width, forLetters(meta.height)],
    most: forLetters(meta.cell),
    stretch: panel.axes[1] !== "key",
    colourOf: (row, column) =>
      colourOf(panel, panel.values[row * columns + column], stops) ?? palette.scale[0],
    isMasked: (row, column) => Boolean(panel.masked?.[row * columns + column]),
    textOf: (row, column) => valueText(panel, row, column),
    saidOf: (row) => rowSaid(panel, row),
  };
}

// Describe a row in a sentence; without a row, the one with the largest value.
function rowSaid(panel, row) {
  const { rows, columns, values, rowTokens, columnTokens, scale } = panel;
  const told = row ?? Math.floor((largestFirst(values)[0] ?? 0) / columns);
  if (told >= rows) return "";
  const cells = values.subarray(told * columns, (told + 1) * columns);
  const token = rowTokens?.[told] ?? say("picture.row", { row: told });
  const nameOf = (column) => columnTokens?.[column] ?? say("picture.column", { column });
  if (scale === "weights") return readsSaid(token, cells, nameOf);
  if (scale === "mask") {
    const read = [...cells.keys()].filter((column) => cells[column]).map(nameOf);
    return read.length
      ? say("picture.may_read", { token, tokens: read.join(", ") })
      : say("picture.may_read_nothing", { token });
  }
  const [largest] = largestFirst(cells);
  if (largest === undefined) return "";
  const value = numberText(cells[largest]);
  return say("picture.largest_at", { token, place: nameOf(largest), value });
}

// Scale pixels to the current font size.
const forLetters = (pixels) => (pixels * cellFont()) / MADE_FOR;

// Convert a cell of a panel to positions on named axes, {query: 3, key: 1}, and back.
function placeOf({ axes }, cell) {
  const place = {};
  if (cell.row !== undefined) place[axes[0]] = cell.row;
  if (cell.column !== undefined) place[axes[1]] = cell.column;
  return place;
}
const cellOf = ({ axes }, place) => ({ row: place[axes[0]], column: place[axes[1]] });

// Convert the query and key of a panel, which may show a part of the matrix, to those of the whole matrix, and back.
const inWhole = ({ first }, place) => moved(place, first[0], first[1]);
const inWindow = ({ first }, place) => moved(place, -first[0], -first[1]);

function moved({ query, key }, down, across) {
  const place = {};
  if (query !== undefined) place.query = query + down;
  if (key !== undefined) place.key = key + across;
  return place;
}

// Return the outlines of a panel: the selected cell, the hovered one, and wrong ones.
function marksOf(panel, { own, outlined }, { selection, hover }) {
  const palette = colours();
  const marks = [];
  const shown = cellOf(panel, outlined ?? {});
  if (shown.row !== undefined || shown.column !== undefined)
    marks.push({ ...shown, colour: palette.accent });
  if (panel.selects) {
    const chosen = cellOf(panel, inWindow(panel, selection));
    if (chosen.row !== undefined || chosen.column !== undefined)
      marks.push({ ...chosen, colour: palette.accent });
  }
  const pointed = own?.group === panel.group ? own : null;
  const hovered = hover?.kind === panel.group ? inWindow(panel, hover) : null;
  const { row, column } = cellOf(panel, pointed ?? hovered ?? {});
  const colour = (axis) => palette[panel.axes[axis]] ?? palette.soft; // the colour of a query or of a key
  if (row !== undefined) marks.push({ row, colour: colour(0), width: 1.5 });
  if (column !== undefined) marks.push({ column, colour: colour(1), width: 1.5 });
  for (const [row, column] of panel.marks)
    marks.push({ row, column, colour: palette.wrong, width: 2 });
  return marks.filter((mark) => isInside(mark, panel));
}

function isInside({ row, column }, { rows, columns }) {
  const isOn = (place, size) => place === undefined || (place >= 0 && place < size);
  return isOn(row, rows) && isOn(column, columns);
}

// Return the lines of the tooltip of a cell: its tokens, and its value in every panel of the group.
function linesOf(panel, cell, { own, groups }) {
  const values = groups
    .get(panel.group)
    .map((other) => [other, cellOf(other, own)])
    .filter(([other, at]) => at.row !== undefined && at.column !== undefined && at.row < other.rows)
    .map(([other, at]) => `${other.title}  ${valueText(other, at.row, at.column)}`);
  const words = [panel.rowTokens?.[cell.row], panel.columnTokens?.[cell.column]];
  if (panel.axes.join(" ") === "query key" && words[0] && words[1])
    return [readsLine(words[0], words[1]), ...values];
  const places = [words[0] ?? cell.row, words[1] ?? cell.column];
  return [places.filter((place) => place !== undefined).join(", "), ...values];
}

// Return the colour of a value: a weight from 0 to 1, or a signed value up to the panel's largest magnitude.
function colourOf({ scale, largest }, value, stops) {
  if (!Number.isFinite(value)) return null;
  if (scale === "mask") return value ? stops[MAY_READ] : null;
  const place = scale === "weights" ? value : (value / (largest || 1) + 1) / 2;
  return stops[Math.round(Math.max(0, Math.min(1, place)) * 200)];
}

function valueText(panel, row, column) {
  const i = row * panel.columns + column;
  const value = panel.values[i];
  if (panel.scale === "mask") return value ? say("picture.allowed") : say("picture.hidden");
  const text = Number.isNaN(value) ? say("picture.no_number") : numberText(value);
  const isMasked = panel.masked?.[i] || value === -Infinity;
  return isMasked ? say("picture.masked", { value: text }) : text;
}

// Return a table with every cell of every panel, as sent.
function panelsTable(panels) {
  const rows = panels.flatMap(({ title, columns, rowTokens, columnTokens, values }) =>
    Array.from(values, (value, i) => {
      const [row, column] = [Math.floor(i / columns), i % columns];
      return [title, row, rowTokens?.[row], column, columnTokens?.[column], value];
    }),
  );
  const kinds = { panel: "text", row: "whole", "row token": "text", column: "whole" };
  return tableOf({ ...kinds, "column token": "text", value: "single" }, rows);
}

export const components = { panels: showPanels };
