// The head in view as a table, for those who cannot see the map or want its numbers. Filled only while it is open.

import { element } from "../../../pictures/browser/elements.js";
import { axisTokens } from "../../../pictures/browser/run.js";
import { say } from "../../../pictures/browser/say.js";
import { weightWords } from "../../../pictures/browser/weights.js";

const MOST_SHOWN = 60; // tokens on a side: more is a spreadsheet, which the map of the model hands out

/** The table of `view.matrix`, folded. */
export function createTable(loupe, view) {
  const place = element("div", { class: "loupe-scroll", tabindex: "0" });
  const fill = () => node.open && place.replaceChildren(content(loupe, view.matrix));
  const node = element(
    "details",
    { class: "head-table", "data-unsaved": "", ontoggle: fill },
    element("summary", {}, say("attention.as_table")),
    place,
  );
  return { node, draw: fill };
}

function content(loupe, { rows, columns, codes }) {
  if (Math.max(rows, columns) > MOST_SHOWN)
    return element("p", { class: "loupe-note" }, say("attention.table_too_large"));
  const tokens = axisTokens(loupe, loupe.selection.kind);
  const heads = tokens.columns.map((token) => element("th", { scope: "col" }, token));
  const body = tokens.rows.map((token, row) => {
    const cells = tokens.columns.map((_, column) =>
      element("td", { class: "loupe-number" }, weightWords(codes[row * columns + column])),
    );
    return element("tr", {}, element("th", { scope: "row" }, token), ...cells);
  });
  const [rowTitle, columnTitle] = loupe.run().axes[loupe.selection.kind];
  return element(
    "table",
    { class: "loupe-table" },
    element(
      "caption",
      {},
      say("attention.table_caption", { rows: rowTitle, columns: columnTitle }),
    ),
    element("thead", {}, element("tr", {}, element("td"), ...heads)),
    element("tbody", {}, ...body),
  );
}
