// Activation patching: how much of the answer comes back if a single cell is copied from one sentence to another.

import { colours } from "../../../pictures/browser/colours.js";
import { element, followWidth, pushButton } from "../../../pictures/browser/elements.js";
import { heatmap } from "../../../pictures/browser/heatmap.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say } from "../../../pictures/browser/say.js";
import { tooltip } from "../../../pictures/browser/tooltip.js";
import { shareText } from "./cut_words.js";

const CELL = 24; // largest side of a cell, in pixels
const ROOM = 460; // largest height of a grid, in pixels
const ARRIVAL = "#two-sentences"; // end of a link that leads to this part of the page

/** @type {import("../../../pictures/browser/types").Setup} */
function patching(_loupe, { host, listen, signal, save }) {
  let maps = [];
  let shown = null;
  let sent = null;
  let keep = (_cell) => {};
  const chosen = element("p", { class: "mattered-chosen", role: "status" });
  const show = (cell, words) => {
    const put = pushButton({ onclick: () => keep(cell) }, say("mattered.put_cell"));
    chosen.replaceChildren(words, ...(sent.meta.keeps ? [" ", put] : []));
  };
  const draw = () => {
    if (!host.clientWidth) return;
    for (const map of maps) map.draw();
  };
  listen((what) => {
    if (what === "run") draw();
  });
  followWidth(host, draw, signal);
  save({ name: say("mattered.saved_patches"), table: () => patchesTable(sent) });
  return ({ meta, shares }, trigger) => {
    sent = { meta, shares };
    keep = (cell) => trigger("keep", cell);
    if (shares !== shown) {
      const cells = { values: shares.getChild("share").toArray(), most: meta.most };
      maps = [];
      chosen.replaceChildren(meta.keeps ? say("mattered.choose_cell") : "");
      const groups = meta.groups.map((group) => groupOf(group, cells, maps, show));
      host.replaceChildren(chosen, ...groups);
    }
    shown = shares;
    draw();
    arrive();
  };
}

// Scroll to this part of the page once, if a link leads to it.
function arrive() {
  if (location.hash !== ARRIVAL) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  document.querySelector(".st-key-card_patching")?.scrollIntoView();
}

/** @param {import("./wire").WireGrids} group */
function groupOf({ heading, note, grids }, cells, maps, show) {
  if (!grids.length) return element("p", { class: "mattered-none" }, note);
  const boxes = grids.map((grid) => {
    const box = element("div");
    const map = heatmap(box, () => specOf(grid, cells, box), {
      label: say("mattered.grid", { attention: heading, grid: grid.title }),
      point: (cell, event) => point(grid, cells, cell, event),
      choose: ({ row, column }) => {
        if (row === undefined || column === undefined) return;
        const cell = grid.offset + row * grid.columns.length + column;
        const named = { attention: heading, row: grid.rows[row], column: grid.columns[column] };
        show(cell, say("mattered.cell_said", { ...named, share: cellText(cells, cell) }));
      },
    });
    maps.push(map);
    return element(
      "figure",
      { class: "loupe-panel" },
      element("figcaption", {}, element("b", {}, grid.title), map.table.button),
      box,
    );
  });
  return element(
    "section",
    { class: "mattered-grids" },
    element("h3", { class: "loupe-heading" }, heading),
    element("div", { class: "mattered-pair" }, ...boxes),
  );
}

/** @param {import("./wire").WireGrid} grid */
function specOf(grid, cells, box) {
  const { rows, columns, offset } = grid;
  const { diverging } = colours();
  const placeOf = (row, column) => offset + row * columns.length + column;
  const at = (row, column) => cells.values[placeOf(row, column)];
  return {
    rows: rows.length,
    columns: columns.length,
    rowTokens: rows,
    columnTokens: columns,
    room: [box.clientWidth || 320, ROOM],
    most: CELL,
    colourOf: (row, column) => {
      const share = at(row, column);
      const place = Number.isNaN(share) ? 0.5 : (Math.max(-1, Math.min(1, share)) + 1) / 2;
      return diverging[Math.round(place * 200)];
    },
    isMasked: (row, column) => Number.isNaN(at(row, column)),
    textOf: (row, column) => cellText(cells, placeOf(row, column)),
    saidOf: (row) => rowSaid(grid, cells, row),
  };
}

// Describe a row; without one, the row of the largest share or the largest change.
function rowSaid({ rows, columns, offset }, cells, asked) {
  const { values, most } = cells;
  const size = (place) => (most === null ? values[place] : Math.abs(values[place]));
  const own = rows.flatMap((_, row) =>
    columns
      .map((_, column) => ({ row, column, place: offset + row * columns.length + column }))
      .filter(({ place }) => (asked ?? row) === row && !Number.isNaN(values[place])),
  );
  if (!own.length) return say("mattered.row_none");
  const { row, column, place } = own.reduce((best, cell) =>
    size(cell.place) > size(best.place) ? cell : best,
  );
  const share = cellText(cells, place);
  return say("mattered.row_most", { row: rows[row], column: columns[column], share });
}

/** @param {import("./wire").WireGrid} grid */
function point({ rows, columns, offset }, cells, cell, event) {
  if (!cell || cell.row === undefined || cell.column === undefined) {
    tooltip.hide();
    return;
  }
  const share = cellText(cells, offset + cell.row * columns.length + cell.column);
  const named = { row: rows[cell.row], column: columns[cell.column] };
  tooltip.show(event, say("mattered.cell", named), share);
}

const cellText = ({ values, most }, place) => shareText(values[place], most);

// Return a table of the share of the answer that each cell restores.
function patchesTable({ meta, shares }) {
  const values = shares.getChild("share").toArray();
  const rows = meta.groups.flatMap(({ heading, grids }) =>
    grids.flatMap((grid) =>
      grid.rows.flatMap((row, r) =>
        grid.columns.map((column, c) => {
          const share = values[grid.offset + r * grid.columns.length + c];
          return [heading, grid.title, row, c, column, share];
        }),
      ),
    ),
  );
  const place = { group: "text", grid: "text", row: "text", column: "whole", token: "text" };
  return tableOf({ ...place, share: "double" }, rows);
}

export const components = { mattered_patching: patching };
