// Finds the row that matters most: without its head, the written text becomes the least likely. The browser's own model
// cuts the heads one at a time.

import { likelihoodWithout } from "./effect.js";

/** @typedef {import("./subject.js").Subject} Subject */
/** @typedef {import("./question.js").Row} Row */

const PAUSE_MS = 300; // without typing before heads are cut, because a cut takes longer than a frame

/** @param {() => void} changed called when every head has been cut */
export function createMatters(changed) {
  let latest = ""; // the run whose heads are cut, as JSON
  let likely = new Map(); // name of a row -> log-probability of the text without its head
  let pause = null;
  const stop = () => {
    clearTimeout(pause);
    pause = null;
  };
  // Cut one head per task, so that a pressed key never waits for more than one cut.
  const cut = (rows, made) => {
    pause = null;
    const row = rows.find((each) => !likely.has(nameOf(each)));
    if (!row) return changed();
    likely.set(nameOf(row), likelihoodWithout(made, row));
    pause = setTimeout(cut, 0, rows, made);
  };
  return {
    stop,
    /** Return the row that matters most, or the only one; undefined until that is known.
     * @param {Subject} subject
     * @param {Row[]} rows sorted by sharpness; the first one is returned if the browser has no model
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
