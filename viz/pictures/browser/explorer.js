// One explorer: its runs, the selection in them, the cell under the pointer, and the pictures that follow. Two
// explorers on one page are independent of each other.

import { clamp } from "./elements.js";
import { createPictures } from "./pictures.js";
import { isAdrift, isPlaced } from "./place.js";

/** Make an explorer.
 * @param {Document | HTMLElement} root the element that holds its pictures; keys pressed outside of it are ignored
 * @returns {import("./types").Loupe}
 */
export function createLoupe(root) {
  const parts = new Map(); // the function that makes a part -> the part
  const pictures = createPictures();

  /** @type {import("./types").Loupe} */
  const loupe = {
    root,
    ...atFirst(),

    run: () => loupe.runs.get(loupe.selection?.run),
    stack: (kind = loupe.selection?.kind) => loupe.run()?.kinds[kind],

    part(make) {
      if (!parts.has(make)) parts.set(make, make(loupe));
      return parts.get(make);
    },

    select(changes) {
      if (loupe.asked?.takes.length) return loupe.asked.take(changes);
      const next = selectionAfter(loupe, changes);
      if (!next) return;
      loupe.adrift = isAdrift(loupe.selection, changes) || (loupe.adrift && !isPlaced(changes));
      loupe.selection = next;
      loupe.commit();
      loupe.tell("selection");
    },

    point(hover) {
      if (JSON.stringify(hover) === JSON.stringify(loupe.hover)) return;
      loupe.hover = hover;
      loupe.tell("hover");
    },

    tell: pictures.tell,
    redraw: pictures.redraw,
    mount: (name, setup, given) => pictures.mount(loupe, name, setup, given),
  };
  return loupe;
}

/** Return the state of an explorer to which Python has sent nothing yet.
 * @returns {Omit<import("./types").Loupe, "root" | "run" | "stack" | "part" | "select" | "point" | "tell" | "redraw" | "mount">}
 */
function atFirst() {
  return {
    runs: new Map(),
    traces: new Map(),
    selection: null,
    adrift: false,
    hover: null,
    page: "",
    asked: null,
    runner: null,
    tensor: null,
    link: null,
    saving: null,
    commit: () => {},
    go: () => {},
  };
}

// Apply changes to the selection, within the limits of the run. Return null if nothing changes.
function selectionAfter({ selection, stack }, changes) {
  const next = { ...selection, ...changes };
  const sizes = stack(next.kind);
  if (!sizes) return null;
  next.layer = clamp(next.layer, sizes.layers);
  next.head = clamp(next.head, sizes.heads);
  next.query = clamp(next.query, sizes.rows);
  next.key = clamp(next.key, sizes.columns);
  if (next.kind !== "encoder self-attention" && "query" in changes) next.step = next.query;
  return Object.keys(next).some((name) => next[name] !== selection[name]) ? next : null;
}
