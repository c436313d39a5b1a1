// The sentence that is being typed, run by the browser's own model at each key, until Python's run of it is here.

import { nearestPlace, TYPED } from "../run.js";
import { CODE_ONE } from "../weights.js";
import { createAsker } from "./asking.js";
import { createModels } from "./models.js";
import { takeAnswer } from "./taken.js";

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
  let unfinished = ""; // of it: a word that is no word yet, and that the model does not read
  let pause = null;
  const check = createCheck(loupe);
  const asker = createAsker(loupe.part(createModels), (answer) => {
    if (text === null || !ran) return;
    if (answer) show(answer);
    else typed.unanswered();
  });
  const ask = () => {
    const whole = text.slice(0, text.length - unfinished.length);
    if (whole.trim()) asker.ask(asked(ran, whole));
  };
  /** @param {Answer} answer */
  const show = (answer) => {
    const like = loupe.run();
    const model = loupe.part(createModels).at(ran.model.key)?.model;
    if (!like || !model) return;
    const before = loupe.selection;
    if (before.run !== TYPED) chosen = before;
    check.answered(answer);
    takeAnswer(loupe, TYPED, answer, model);
    loupe.selection = { ...before, ...carried(before, like, loupe.runs.get(TYPED)), run: TYPED };
    loupe.tell("run");
  };
  const leave = () => {
    clearTimeout(pause);
    text = null;
    if (loupe.selection?.run !== TYPED) return;
    loupe.selection = chosen;
    loupe.tell("run");
  };
  const typed = {
    /** What is done where a text has too many tokens: in the app Python says so. */
    unanswered: () => {},
    /** Python has run something.
     * @param {Inputs} inputs
     */
    learn(inputs) {
      ran = inputs;
      check.ran(inputs);
      if (inputs.text === text) text = null;
      else if (text !== null) ask();
    },
    /** Get ready for what may be typed: the first run takes longer. */
    prepare() {
      if (ran?.text && !check.isBegun()) asker.ask(asked(ran, ran.text));
    },
    checked: check.now,
    /** The word that is no word yet. */
    unfinished: () => unfinished,
    /** Another text stands in the field.
     * @param {string} typed
     * @param {string} begun at its end: what no word is yet
     * @param {() => void} commit lets Python run it
     */
    type(typed, begun, commit) {
      clearTimeout(pause);
      if (!ran || ran.given) return;
      if (typed === ran.text) return leave();
      text = typed;
      unfinished = begun;
      ask();
      pause = setTimeout(commit, PAUSE_MS);
    },
    leave,
  };
  return typed;
}

// Holds the run of Python's that takes the place of one of the browser's against it.
function createCheck(loupe) {
  /** @type {Answer | null} */
  let latest = null;
  let checked = null;
  return {
    isBegun: () => latest !== null,
    answered(answer) {
      latest = answer;
      checked = null;
    },
    ran(inputs) {
      if (latest && isSame(latest, inputs)) checked = { run: inputs.run, answer: latest };
    },
    /** How far Python's run in view is from the browser's of the same text; null where there is none.
     * @returns {{difference: number} | null}
     */
    now() {
      const run = checked?.run === loupe.selection?.run && loupe.run();
      if (!run) return null;
      checked.difference ??= differenceOf(checked.answer, run);
      return checked;
    },
  };
}

/** @returns {import("./types").Asked} */
const asked = ({ model, interventions }, text) => ({
  model,
  text,
  interventions: interventions.filter(({ rows, columns, origin }) => !rows && !columns && !origin),
});

// Whether the browser ran the same text with the same changes.
const isSame = (answer, { text, interventions }) =>
  answer.text === text && JSON.stringify(answer.interventions) === JSON.stringify(interventions);

// The largest difference of a weight; Infinity where other words were written.
function differenceOf({ tokens, kinds, codes }, run) {
  if (tokens.target.join(" ") !== run.tokens.target.join(" ")) return Infinity;
  let largest = 0;
  for (const [kind, { offset }] of Object.entries(kinds))
    for (const [i, code] of run.kinds[kind].codes.entries())
      if (code <= CODE_ONE || codes[offset + i] <= CODE_ONE)
        largest = Math.max(largest, Math.abs(code - codes[offset + i]));
  return (largest + 0.5) / CODE_ONE;
}

// The cell that was chosen, where its words are in another run.
function carried({ kind, query, key }, before, after) {
  const places = ([side, first], at) => {
    const [old, now] = [before, after].map(({ tokens }) => tokens[side].slice(first));
    const place = nearestPlace(old[at], now, at);
    return place < 0 ? at : place;
  };
  const { queries, keys, rows, columns } = after.kinds[kind];
  return {
    query: Math.min(places(queries, query), rows - 1),
    key: Math.min(places(keys, key), columns - 1),
  };
}
