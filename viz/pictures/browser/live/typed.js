// The sentence that is being typed, run by the browser's own model at each key, until Python's run of it is here.

import { TYPED, takeRun } from "../run.js";
import { createAsker } from "./asking.js";
import { createModels } from "./models.js";

/** @typedef {import("./types").Answer} Answer */
/** @typedef {import("../wire").WireInputs} Inputs */

const PAUSE_MS = 1500;

/** Keeps what is typed and what the model makes of it.
 * @param {import("../types").Loupe} loupe
 */
export function createTyped(loupe) {
  /** @type {Inputs | null} */
  let ran = null; // what Python ran last
  let chosen = null; // in that run
  let text = null; // as it is typed now; null while it is what Python ran
  let pause = null;
  const asker = createAsker((answer) => {
    if (answer && text !== null && ran) show(answer);
  });
  /** @param {Answer} answer */
  const show = (answer) => {
    const like = loupe.runs.get(chosen?.run) ?? loupe.run();
    const model = loupe.part(createModels).at(ran.model.key)?.model;
    if (!like || !model) return;
    if (loupe.selection.run !== TYPED) chosen = loupe.selection;
    const { languages, axes, roles } = like;
    const { kinds, tokens, codes, tensors, touched } = answer;
    takeRun(loupe, { run: TYPED, kinds, tokens, languages, axes, gold: null }, codes);
    Object.assign(loupe.runs.get(TYPED), { metrics: {}, roles });
    loupe.traces.set(TYPED, { model, tensors, touched, answer });
    loupe.selection = { ...chosen, ...carried(chosen, like, loupe.runs.get(TYPED)), run: TYPED };
    loupe.tell("run");
  };
  const leave = () => {
    clearTimeout(pause);
    text = null;
    if (loupe.selection?.run !== TYPED) return;
    loupe.selection = chosen;
    loupe.tell("run");
  };
  return {
    /** Python has run something.
     * @param {Inputs} inputs
     */
    learn(inputs) {
      ran = inputs;
      if (inputs.text === text) text = null;
      else if (text !== null) asker.ask(asked(ran, text));
    },
    /** Another text stands in the field.
     * @param {string} typed
     * @param {() => void} commit lets Python run it
     */
    type(typed, commit) {
      clearTimeout(pause);
      if (!ran || ran.given) return;
      if (typed === ran.text) return leave();
      text = typed;
      asker.ask(asked(ran, typed));
      pause = setTimeout(commit, PAUSE_MS);
    },
    leave,
  };
}

/** @returns {import("./types").Asked} */
const asked = ({ model, interventions }, text) => ({
  model,
  text,
  interventions: interventions.filter(({ rows, columns, origin }) => !rows && !columns && !origin),
});

// The cell that was chosen, where its words are in another run.
function carried({ kind, query, key }, before, after) {
  const places = ([side, first], at) => nearest(before.tokens[side], after.tokens[side], first, at);
  const { queries, keys, rows, columns } = after.kinds[kind];
  return {
    query: Math.min(places(queries, query), rows - 1),
    key: Math.min(places(keys, key), columns - 1),
  };
}

// Where the word stands now that stood at a place, the nearest of them; else the place itself.
function nearest(before, after, first, at) {
  const word = before[first + at];
  let best = at;
  let least = Infinity;
  for (let place = 0; place < after.length - first; place++) {
    const distance = Math.abs(place - at);
    if (after[first + place] === word && distance < least) [best, least] = [place, distance];
  }
  return best;
}
