// Asks about the sentence that is typed, in the browser's own model: at each key, and at a pause by what matters most.

import { rowsToAsk } from "./own_question.js";
import { likelihoodWithout, ownReading } from "./own_reading.js";

/** @typedef {import("./own_question.js").Answer} Answer */
/** @typedef {import("./own_question.js").Row} Row */
/** @typedef {import("../../../pictures/browser/twin/types").Model} Model */

const PAUSE_MS = 300; // from which heads are cut, which takes longer than a frame

/** @param {() => void} changed what is asked is another row, since it matters more */
export function createOwn(changed) {
  let latest = /** @type {Answer | null} */ (null);
  let readings = new Map(); // of the latest answer, by its row
  let likely = new Map();
  let pause = null;
  const keyOf = ({ layer, head, query }) => `${layer} ${head} ${query}`;
  const stop = () => clearTimeout(pause);

  // One cut at a time: a key that is pressed meanwhile waits for no more.
  const cut = (rows, model) => {
    const row = rows.find((each) => !likely.has(keyOf(each)));
    if (!row) return changed();
    likely.set(keyOf(row), likelihoodWithout(latest, model, row));
    pause = setTimeout(cut, 0, rows, model);
  };
  const chosenOf = (rows, word) => {
    const left = (row) => likely.get(keyOf(row)); // of what was written, without its head
    if (rows.every((row) => likely.has(keyOf(row))))
      return rows.reduce((most, row) => (left(row) < left(most) ? row : most));
    return rows.find(({ query }) => latest.read.tokens[query] === word) ?? rows[0];
  };
  return {
    stop,
    /** The question of a sentence, and its reading.
     * @param {Answer} answer
     * @param {Model} model
     * @param {import("./own_question.js").PartOf} partOf
     * @param {{chosen: number, asked: string | undefined}} before position of the word that the reader chose, and the
     *   word that is asked about: it stays so, if it is among those that matter, until it is known which does most
     */
    ask(answer, model, partOf, { chosen, asked }) {
      if (answer !== latest) {
        stop();
        latest = answer;
        readings = new Map();
        likely = new Map();
      }
      const rows = rowsToAsk(answer, partOf, chosen);
      if (rows.length > 1 && !likely.size) {
        stop();
        pause = setTimeout(cut, PAUSE_MS, rows, model);
      }
      const { layer, head, query } = chosenOf(rows, asked);
      const key = keyOf({ layer, head, query });
      if (!readings.has(key)) readings.set(key, ownReading(answer, model, { layer, head, query }));
      const reading = readings.get(key);
      return { layer, head, query, reading, readings: [reading], current: 0 };
    },
  };
}
