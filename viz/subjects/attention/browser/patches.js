// What one row reads in an image: the patches at their places and, apart from them, the tokens that are not patches.

import { colours } from "../../../pictures/browser/colours.js";
import { element } from "../../../pictures/browser/elements.js";
import { filled } from "../../../pictures/browser/filled.js";
import { heatmap } from "../../../pictures/browser/heatmap.js";
import { axisTokens } from "../../../pictures/browser/run.js";
import { say } from "../../../pictures/browser/say.js";
import {
  CODE_COVERED,
  CODE_MASKED,
  CODE_ONE,
  weightColour,
  weightWords,
} from "../../../pictures/browser/weights.js";

const FEWEST = 4; // fewest patches that make an image
const LARGEST = 34; // pixels of a patch

/** Return the number of tokens before the patches of an image, and its rows and columns; null if it is not an image.
 * @param {string[]} tokens patches are named "row,column" from 1, row by row; the last row may be incomplete
 */
export function imageOf(tokens) {
  const before = tokens.indexOf("1,1");
  const columns = tokens.filter((token) => /^1,\d+$/.test(token)).length;
  const patches = tokens.slice(before);
  const isPatch = (token, i) => token === `${1 + Math.floor(i / columns)},${1 + (i % columns)}`;
  if (before < 0 || patches.length < FEWEST || !patches.every(isPatch)) return null;
  return { before, rows: Math.ceil(patches.length / columns), columns };
}

/** Return the function from a code to the code of its colour: in an image the largest weight gets the strongest colour,
 * because none of hundreds of patches has much weight.
 * @param {string[]} tokens the tokens that are read
 * @returns {(code: number) => number}
 */
export function strengthOf(tokens, codes) {
  return imageOf(tokens) ? upTo(largest(codes)) : (code) => code;
}

/** Create the selected row of `view.matrix` as an image; `width()` is the room for it. */
export function createPatches(loupe, view, width, pointer) {
  const said = element("p", { class: "loupe-note" });
  const node = element("div", { class: "loupe-patches", hidden: true }, said);
  const area = (image) => part(loupe, view, width, image);
  const draws = [
    ({ before }) => area({ first: 0, rows: Math.min(1, before), columns: before }),
    ({ before, rows, columns }) => area({ first: before, rows, columns }),
  ];
  let image = null;
  const maps = draws.map((spec) =>
    heatmap(
      node,
      () => spec(image),
      pointed(loupe, () => spec(image), pointer),
    ),
  );
  return {
    node,
    /** Draw the image; return whether there is one. */
    draw() {
      image = imageOf(axisTokens(loupe, loupe.selection.kind).columns);
      node.hidden = !image;
      if (!image) return false;
      node.style.width = `${width()}px`;
      tell(loupe, said, rowOf(loupe, view));
      for (const [i, map] of maps.entries()) {
        map.frame.hidden = !draws[i](image).rows;
        if (!map.frame.hidden) map.draw();
      }
      return true;
    },
    outline(hover) {
      if (!image) return;
      for (const [i, map] of maps.entries()) map.outline(marksOn(loupe, draws[i](image), hover));
    },
  };
}

const readsItself = ({ kind }) => kind !== "cross-attention";

// Return the codes of the selected row.
function rowOf({ selection: { query } }, { matrix: { codes, columns } }) {
  return codes.subarray(query * columns, (query + 1) * columns);
}

const strength = (code) => (code <= CODE_ONE ? code : 0);
const largest = (codes) => codes.reduce((most, code) => Math.max(most, strength(code)), 0);
// Scale codes so that the largest becomes 1; a code that is not a weight stays.
const upTo = (most) => (code) => (code <= CODE_ONE && most ? (code * CODE_ONE) / most : code);

// Return a part of the row as a heat map.
function part(loupe, view, width, { first, rows, columns }) {
  const codes = rowOf(loupe, view);
  const strengthened = upTo(largest(codes));
  const palette = colours();
  const at = (row, column) => first + row * columns + column;
  const code = (row, column) => codes[at(row, column)] ?? CODE_MASKED; // beyond the end of an incomplete last row
  const numbered = (count) => Array.from({ length: count }, (_, i) => String(i + (first && 1)));
  return {
    first,
    rows,
    columns,
    at,
    size: codes.length,
    rowTokens: first ? numbered(rows) : [""],
    columnTokens: numbered(columns),
    room: [width(), width()],
    most: LARGEST,
    colourOf: (row, column) => weightColour(strengthened(code(row, column)), palette),
    isMasked: (row, column) => code(row, column) === CODE_MASKED,
    isCovered: (row, column) => code(row, column) === CODE_COVERED,
  };
}

// A patch both is read and reads, so a click on it shows what it reads in the others.
function pointed(loupe, spec, pointer) {
  const keyAt = (cell) => {
    if (cell?.row === undefined || cell.column === undefined) return undefined;
    const { at, size } = spec();
    return at(cell.row, cell.column) < size ? at(cell.row, cell.column) : undefined;
  };
  return {
    label: say("attention.patches_label"),
    point(cell, event) {
      const key = keyAt(cell);
      pointer.point(key === undefined ? null : { row: loupe.selection.query, column: key }, event);
    },
    choose(cell) {
      const key = keyAt(cell);
      if (key !== undefined)
        pointer.choose(readsItself(loupe.selection) ? { row: key } : { column: key });
    },
  };
}

function tell(loupe, said, codes) {
  const { query, kind } = loupe.selection;
  const { rows } = axisTokens(loupe, kind);
  const told = {
    query: element("b", { class: "loupe-query" }, rows[query]),
    weight: weightWords(largest(codes)),
  };
  said.replaceChildren(...filled(say("attention.patches_read"), told));
  if (readsItself(loupe.selection)) said.append(` ${say("attention.patches_choose")}`);
}

// Mark the row that reads (if it is a patch of the image), the selected key, and the one that is pointed at.
function marksOn({ selection: { query, key, kind } }, { first, rows, columns }, hover) {
  const palette = colours();
  const marked = [
    { place: readsItself({ kind }) ? query : undefined, colour: palette.query, width: 2.5 },
    { place: key, colour: palette.accent, width: 2 },
    { place: hover?.column, colour: palette.key, width: 1 },
  ];
  return marked
    .filter(({ place }) => place >= first && place < first + rows * columns)
    .map(({ place, ...mark }) => ({
      ...mark,
      row: Math.floor((place - first) / columns),
      column: (place - first) % columns,
    }));
}
