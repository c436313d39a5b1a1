// The parts of a cell's card. Each part is built once, and then only receives its new values:
// {node, put(values)}.

import { element } from "../../../pictures/browser/elements.js";
import { differenceText, partOf } from "../../../pictures/browser/numbers.js";
import { say } from "../../../pictures/browser/say.js";
import { cellInView } from "./cell_arithmetic.js";

/** Draw the cell in view at every event except hovering; the picture is hidden until the tensors of its head arrive.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {import("../../../pictures/browser/types").Place} place
 * @param {(cell: import("./types").Cell) => void} put
 */
export function followCell(loupe, { host, listen }, put) {
  const draw = () => {
    const cell = cellInView(loupe);
    host.classList.toggle("loupe-stale", !cell);
    if (cell) put(cell);
  };
  listen((what) => what !== "hover" && draw());
  return draw;
}

// Set the text of a node, unless the node has that text already.
function putText(node, text) {
  if (node.firstChild?.data !== text) node.textContent = text;
}

// Create the badge of a comparison with float64: its words, and how far the two numbers are apart.
export function cellBadge(name = "") {
  const mark = element("b", { "aria-hidden": "true" });
  const words = element("span", {}, name);
  const measured = element("code");
  const verdict = element("span", { class: "cell-spoken" }); // for screen readers
  const node = element("li", {}, mark, words, verdict, measured);
  return {
    node,
    put(relative, tolerance, text = name) {
      const agrees = relative <= tolerance;
      node.className = agrees ? "loupe-pass" : "loupe-fail";
      putText(mark, agrees ? "✓" : "✗");
      putText(words, text);
      const found = agrees ? say("attention.badge_agrees") : say("attention.badge_fails");
      putText(verdict, ` ${found} `);
      putText(measured, differenceText(relative));
    },
  };
}

// Create a line of words, some of them emphasized: put("together ", [number]) makes the number bold.
export function cellWords(attributes, tag = "p") {
  const node = element(tag, attributes);
  let shown = null;
  return {
    node,
    put(...parts) {
      const wanted = JSON.stringify(parts);
      if (wanted === shown) return;
      shown = wanted;
      node.replaceChildren(...parts.map((part) => (Array.isArray(part) ? marked(...part) : part)));
    },
  };
}

// Emphasize a token or a number in its line: ["street", "loupe-key"] is a token in the keys' colour.
function marked(text, role) {
  return role ? element("bdi", { class: role }, text) : element("b", {}, text);
}

/** Create a table whose columns are [heading, kind of cell] pairs. Its rows are reused for new values.
 * @param {string} name
 * @param {any[][]} columns
 * @param {{headed?: boolean, enter?: (row: number) => void, leave?: () => void}} [options]
 */
export function cellTable(name, columns, { headed = true, enter, leave } = {}) {
  const body = element("tbody");
  const heads = columns.map(([heading]) => element("th", heading ? { scope: "col" } : {}, heading));
  const node = element(
    "table",
    { class: `cell-${name}` },
    headed ? element("thead", {}, element("tr", {}, ...heads)) : null,
    body,
  );
  const rows = [];
  const addRow = () => {
    const cells = columns.map(([, kind]) => kind());
    const row = { cells, node: element("tr", {}, ...cells.map((cell) => cell.node)) };
    const place = rows.push(row) - 1;
    if (enter) {
      row.node.addEventListener("pointerenter", () => enter(place));
      row.node.addEventListener("pointerleave", leave);
    }
    body.append(row.node);
  };
  return {
    node,
    put(values) {
      while (rows.length > values.length) rows.pop().node.remove();
      while (rows.length < values.length) addRow();
      values.forEach((row, i) => {
        rows[i].cells.forEach((cell, j) => {
          cell.put(row[j]);
        });
      });
    },
    mark(place) {
      rows.forEach((row, i) => {
        row.node.classList.toggle("cell-lit", i === place);
      });
    },
  };
}

export function textCell() {
  const node = element("td");
  return { node, put: (text) => putText(node, text) };
}

// Create a cell that names its row: [text, class, words on what the class means].
export function nameCell() {
  const name = element("bdi");
  return {
    node: element("td", {}, name),
    put([text, role = "", meaning = ""]) {
      putText(name, text);
      name.className = role;
      name.title = meaning;
    },
  };
}

// Create a bar for a signed number, from the middle of its track: [value, largest].
export function barCell() {
  const bar = element("i");
  return {
    node: element("td", {}, element("span", { class: "cell-bar" }, bar)),
    put([value, largest]) {
      bar.className = value < 0 ? "cell-negative" : "";
      bar.style.width = `${(50 * partOf(value, largest)).toFixed(1)}%`;
    },
  };
}

// Create a bar for a number that is never negative, from the left of its track: [value, largest].
export function lengthCell() {
  const length = cellLength();
  return {
    node: element("td", {}, length.node),
    put: ([value, largest]) => length.put(value, largest),
  };
}

export function cellLength() {
  const bar = element("i");
  return {
    node: element("span", { class: "cell-length" }, bar),
    put: (value, largest) => (bar.style.width = `${(100 * partOf(value, largest)).toFixed(1)}%`),
  };
}

// Create a part that unfolds. Its content is filled only while it is visible.
export function cellMore(...contents) {
  const words = cellWords({}, "summary");
  let fill = () => {};
  let filled = false;
  const node = element(
    "details",
    {
      ontoggle: () => {
        if (node.open && !filled) fill();
        filled ||= node.open;
      },
    },
    words.node,
    ...contents.map((content) => content.node),
  );
  return {
    node,
    put(summary, refill) {
      words.put(...summary);
      fill = refill;
      filled = node.open;
      if (node.open) fill();
    },
  };
}
