// What mattered for one target token: every measure for the same source tokens, one below the other.

import { shortened } from "../../../pictures/browser/canvas.js";
import { element, followWidth, pushButton } from "../../../pictures/browser/elements.js";
import { numberText } from "../../../pictures/browser/numbers.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say } from "../../../pictures/browser/say.js";
import { asTable } from "../../../pictures/browser/summary.js";
import { tooltip } from "../../../pictures/browser/tooltip.js";
import { firstPlace, rowText, stripBars } from "./measures_rows.js";

const HIGH = 30; // height of a strip, in pixels
const [LEAST_CELL, MOST_CELL] = [12, 64];
const LETTER = 0.56; // width of a letter, in sizes of the text beside it
const [SLANT, RISE] = [-55, 0.82]; // of words wider than their column: the angle in degrees, and the height per length
const LONGEST = 12; // most letters of a word above its column

/** @type {import("../../../pictures/browser/types").Setup} */
function matteredMeasures(loupe, { host, listen, signal, save }) {
  /** @type {import("./wire").WireMattered | null} */
  let data = null;
  const open = new Set(); // names of the measures whose explanation is open
  const chips = element("ul", {
    class: "loupe-chips",
    "aria-label": say("mattered.written_token"),
  });
  const words = { role: "region", tabindex: "0", "aria-label": say("mattered.all_measures") };
  const grid = element("div", { class: "measures" });
  const table = asTable(say("mattered.all_measures"), () => listed(data, step()));
  host.append(chips, element("div", { class: "loupe-scroll", ...words }, grid));
  host.append(table.button, table.place);

  const step = () => Math.min(loupe.selection?.[data.by] ?? 0, data.written.length - 1);
  const choose = (to) => {
    const isRow = loupe.selection.kind === "cross-attention" || data.by === "query";
    loupe.select(isRow ? { query: to } : { step: to });
  };
  const draw = () => {
    if (!data || data.run !== loupe.selection?.run) return;
    const focused = document.activeElement?.getAttribute("data-measure");
    /** @type {(name: string | null | undefined) => HTMLElement | null} */
    const named = (name) => grid.querySelector(`[data-measure="${name}"]`);
    chips.replaceChildren(...data.written.map((token, i) => chip(token, i, step(), choose)));
    grid.replaceChildren(...measuresRows(data, step(), sizes(host, data), open, draw));
    named(focused)?.focus();
    table.follow();
  };
  listen((what) => (what === "selection" || what === "run") && draw());
  followWidth(host, draw, signal);
  save({ name: say("mattered.saved_measures"), table: () => measuresTable(data) });
  return (sent) => {
    data = sent;
    draw();
  };
}

function chip(token, place, now, choose) {
  const name = `loupe-chip${place === now ? " measures-now" : ""}`;
  const given = { class: name, "aria-pressed": String(place === now) };
  return element("li", {}, pushButton({ ...given, onclick: () => choose(place) }, token));
}

// Return the width of a column beside the names and the agreement, and the width of a letter of the words above.
function sizes(host, data) {
  const style = getComputedStyle(host.querySelector(".measures"));
  const font = Number.parseFloat(style.fontSize);
  const beside = Number.parseFloat(style.getPropertyValue("--beside")) || 0;
  const cell = Math.floor((host.clientWidth - beside * font) / data.source.length);
  return { cell: Math.max(LEAST_CELL, Math.min(cell, MOST_CELL)), letter: LETTER * font };
}

/** @param {import("./wire").WireMattered} data */
function measuresRows(data, step, { cell, letter }, open, redraw) {
  const gold = new Set(data.gold.filter(([row]) => row === step).map(([, source]) => source));
  const rows = data.measures.flatMap((measure) =>
    measureRow(data, measure, step, cell, open, redraw),
  );
  return [...headings(data, cell, gold, letter), ...rows];
}

function headings(data, cell, gold, letter) {
  const longest = Math.max(...data.source.map((token) => shortened(token, LONGEST).length));
  const isSlanted = (longest + 1) * letter > cell;
  const high = 2 * letter + 6 + (isSlanted ? longest * letter * RISE : 0);
  const labels = data.source.map((token, i) => {
    const [x, y] = [(i + 0.5) * cell, high - 6];
    const placed = isSlanted
      ? { transform: `translate(${x + 3} ${y}) rotate(${SLANT})` }
      : { x, y, "text-anchor": "middle" };
    const name = gold.has(i) ? "measures-gold" : null;
    return element("svg:text", { ...placed, class: name }, shortened(token, LONGEST));
  });
  const width = data.source.length * cell; // a slanted word extends beyond it
  const drawn = element("svg:svg", { width, height: high, "aria-hidden": "true" }, ...labels);
  const said = gold.size ? say("mattered.gold_note") : "";
  return [
    element("span", { class: "measures-note" }, said),
    element("div", { class: "measures-words" }, drawn),
    ...data.headings.map((text) => element("span", { class: "measures-heading" }, text)),
  ];
}

/** @param {import("./wire").WireMeasure} measure */
function measureRow(data, measure, step, cell, open, redraw) {
  const row = measure.rows[step];
  const isOpen = open.has(measure.name);
  const toggle = () => {
    if (!open.delete(measure.name)) open.add(measure.name);
    redraw();
  };
  const about = { class: "measures-name", "data-measure": measure.name };
  const given = { ...about, "aria-expanded": String(isOpen), onclick: toggle };
  const name = pushButton(given, measure.label);
  const drawn = row
    ? strip(rowBars(data, row, cell), data.source.length * cell, rowText(data, measure, row))
    : element("div", { class: "measures-waits", style: `height: ${HIGH}px` });
  if (row) point(drawn, data, measure, row, cell);
  const cells = [
    name,
    drawn,
    element("span", { class: "measures-share", "data-of": data.headings[0] }, measure.swap),
    element("span", { class: "measures-share", "data-of": data.headings[1] }, measure.gold),
  ];
  return isOpen ? [...cells, element("p", { class: "measures-what" }, measure.what)] : cells;
}

function rowBars(data, row, cell) {
  const first = firstPlace(row);
  const { bars, zero } = stripBars(row, HIGH);
  const line = element("svg:line", {
    x1: 0,
    x2: data.source.length * cell,
    y1: zero,
    y2: zero,
    class: "measures-zero",
  });
  const drawn = bars.map(({ y, height }, i) =>
    element("svg:rect", {
      x: i * cell + cell * 0.15,
      y,
      width: cell * 0.7,
      height,
      class: i === first ? "measures-first" : row[i] < 0 ? "measures-against" : "measures-bar",
    }),
  );
  return [line, ...drawn];
}

function strip(children, width, said) {
  const size = { width, height: HIGH, role: "img", "aria-label": said };
  return element("svg:svg", { class: "measures-strip", ...size }, ...children);
}

function point(drawn, data, measure, row, cell) {
  drawn.addEventListener("pointermove", (event) => {
    const place = Math.floor((event.clientX - drawn.getBoundingClientRect().left) / cell);
    if (!(place in data.source)) return;
    const value = row[place] === null ? say("mattered.not_known") : numberText(row[place]);
    tooltip.show(
      event,
      element("b", {}, data.source[place]),
      say("mattered.row_said", { measure: measure.label, numbers: value }),
    );
  });
  drawn.addEventListener("pointerleave", () => tooltip.hide());
}

/** @param {import("./wire").WireMattered} data */
function listed(data, step) {
  const rows = data.measures.map((measure) => measure.rows[step]);
  return {
    rows: data.measures.length,
    columns: data.source.length,
    rowNames: (row) => data.measures[row].label,
    columnNames: (column) => data.source[column],
    textOf: (row, column) => (rows[row]?.[column] == null ? "" : numberText(rows[row][column])),
  };
}

// Return a table of every measure of every written token, as far as it is known.
function measuresTable({ measures, source, written }) {
  const rows = measures.flatMap(({ label, rows: known }) =>
    known.flatMap((row, step) =>
      (row ?? []).map((value, key) => [label, step, written[step], key, source[key], value]),
    ),
  );
  const place = { measure: "text", step: "whole", written: "text", key: "whole", source: "text" };
  return tableOf({ ...place, value: "double" }, rows);
}

export const components = { mattered_measures: matteredMeasures };
