// Which of several rows matters most: the one without whose head what was written is the least likely. The browser's own
// model cuts the heads, one at a time.

import { likelihoodWithout } from "./effect.js";

/** @typedef {import("./subject.js").Subject} Subject */
/** @typedef {import("./question.js").Row} Row */

const PAUSE_MS = 300; // of typing, from which heads are cut: that takes longer than a frame

/** @param {() => void} changed every head is cut */
export function createMatters(changed) {
  let latest = ""; // the run whose heads are cut, in words
  let likely = new Map(); // without the head of a row
  let pause = null;
  const stop = () => {
    clearTimeout(pause);
    pause = null;
  };
  // One cut at a time: a key that is pressed meanwhile waits for no more.
  const cut = (rows, made) => {
    pause = null;
    const row = rows.find((each) => !likely.has(nameOf(each)));
    if (!row) return changed();
    likely.set(nameOf(row), likelihoodWithout(made, row));
    pause = setTimeout(cut, 0, rows, made);
  };
  return {
    stop,
    /** The row that matters most, or the only one; undefined while that is not known.
     * @param {Subject} subject
     * @param {Row[]} rows the sharpest first, which is taken if the browser has no model
     * @param {boolean} isTyped
     */
    mostOf({ made }, rows, isTyped) {
      const name = made && JSON.stringify([made.source, made.written, made.interventions]);
      if (name !== latest) {
        stop();
        latest = name;
        likely = new Map();
      }
      if (rows.length === 1 || !made) return rows[0];
      const left = (row) => likely.get(nameOf(row));
      if (rows.every((row) => likely.has(nameOf(row))))
        return rows.reduce((most, row) => (left(row) < left(most) ? row : most));
      if (made.model && pause === null) pause = setTimeout(cut, isTyped ? PAUSE_MS : 0, rows, made);
      return undefined;
    },
  };
}

const nameOf = ({ layer, head, query }) => `${layer} ${head} ${query}`;
