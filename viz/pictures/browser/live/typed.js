// The sentence that is being typed, and changes that were just made: run by the browser's own model at once, until
// Python's run is here.

import { TYPED } from "../run.js";
import { canDo, sayChange } from "../twin/changes.js";
import { CODE_ONE } from "../weights.js";
import { createAsker } from "./asking.js";
import { carried } from "./carried.js";
import { createModels } from "./models.js";
import { takeAnswer } from "./taken.js";

/** @typedef {import("./types").Answer} Answer */
/** @typedef {import("../wire").WireInputs} Inputs */
/** @typedef {import("../wire").WireIntervention} Intervention */

const PAUSE_MS = 1500;
const PATIENCE_MS = 10_000; // with a change that Python does not make after all

/** Keeps what is typed or changed, and what the model makes of it.
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
  const ahead = createAhead(() => leave());
  const isAhead = () => text !== null || ahead.isAny();
  const changes = () => ahead.latest() ?? ran?.interventions ?? [];
  const asker = createAsker(loupe.part(createModels), (answer) => {
    if (!ran || !isAhead()) return;
    if (loupe.selection.run !== TYPED) chosen = loupe.selection;
    if (!answer) typed.unanswered();
    else if (showAnswer(loupe, { ...answer, isTyped: text !== null }, ran)) check.answered(answer);
  });
  const ask = () => {
    const whole = text === null ? ran.text : text.slice(0, text.length - unfinished.length);
    const next = asked(ran, whole, changes());
    if (whole.trim() && next.interventions.every(canDo)) asker.ask(next);
  };
  const leave = () => {
    clearTimeout(pause);
    text = null;
    ahead.clear();
    showAgain(loupe, chosen);
  };
  const typed = {
    /** What is done where a text has too many tokens: in the app Python says so. */
    unanswered: () => {},
    /** Python has run something.
     * @param {Inputs} inputs
     */
    learn(inputs) {
      if (ran) ahead.learn(ran.interventions, inputs.interventions);
      ran = inputs;
      check.ran(inputs);
      if (inputs.text === text) text = null;
      if (isAhead()) ask();
    },
    /** What Python ran is no longer in view, and what is there the browser cannot run.
     * @param {Inputs} inputs
     */
    forget(inputs) {
      if (ran === inputs) ran = null;
    },
    /** Get ready for what may be typed: the first run takes longer. */
    prepare: () => ran?.text && !asker.knows(ran.model) && ask(),
    checked: check.now,
    /** The word that is no word yet. */
    unfinished: () => (text === null ? "" : unfinished),
    /** Another text stands in the field.
     * @param {string} typed
     * @param {string} begun at its end: what no word is yet
     * @param {() => void} commit lets Python run it
     */
    type(typed, begun, commit) {
      clearTimeout(pause);
      if (!ran || ran.given) return;
      if (typed === ran.text && !ahead.isAny()) return leave();
      text = typed === ran.text ? null : typed;
      unfinished = begun;
      ask();
      pause = setTimeout(commit, PAUSE_MS);
    },
    /** The changes in force, those included that Python has not made yet. */
    changes,
    /** Other changes were asked for.
     * @param {Intervention[]} interventions all that will be in force
     */
    change(interventions) {
      if (!ran || ran.given || loupe.asked || !interventions.every(canDo)) return;
      if (ahead.push(interventions, changes())) ask();
    },
    leave,
  };
  return typed;
}

// Puts the selection in Python's run in view again.
function showAgain(loupe, chosen) {
  if (loupe.selection?.run !== TYPED) return;
  loupe.selection = chosen;
  loupe.tell("run");
}

// Puts what was answered in view, in the place of what was there; false where there is nothing of its kind in view.
function showAnswer(loupe, answer, ran) {
  const like = loupe.run();
  const model = loupe.part(createModels).at(ran.model.key)?.model;
  if (!like || !model) return false;
  takeAnswer(loupe, TYPED, answer, model);
  const place = carried(loupe.selection, like, loupe.runs.get(TYPED));
  loupe.selection = { ...loupe.selection, ...place, run: TYPED };
  loupe.tell("run");
  return true;
}

// The changes that were made since Python's last run: all that are in force, after each of them.
function createAhead(giveUp) {
  /** @type {Intervention[][]} */
  let lists = [];
  let patience = null;
  return {
    isAny: () => lists.length > 0,
    latest: () => lists.at(-1),
    clear: () => (lists = []),
    /** Note what is in force now; false where it was before. */
    push(list, before) {
      if (isSameList(list, before)) return false;
      lists.push(list);
      clearTimeout(patience);
      patience = setTimeout(() => lists.length && giveUp(), PATIENCE_MS);
      return true;
    },
    /** Python made these changes: with those before they are behind. What it made earlier may still come. */
    learn(before, made) {
      if (isSameList(before, made)) return;
      const place = lists.findIndex((list) => isSameList(list, made));
      lists = place < 0 ? [] : lists.slice(place + 1);
    },
  };
}

// Holds the run of Python's that takes the place of one of the browser's against it.
function createCheck(loupe) {
  /** @type {Answer | null} */
  let latest = null;
  let checked = null;
  return {
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

// What names positions or another run means nothing in another text.
/** @returns {import("./types").Asked} */
const asked = ({ model, text: same }, text, interventions) => ({
  model,
  text,
  interventions: interventions.filter(
    ({ rows, columns, origin }) => text === same || (!rows && !columns && !origin),
  ),
});

// Whether the browser ran the same text with the same changes.
const isSame = (answer, { text, interventions }) =>
  answer.text === text && isSameList(answer.interventions, interventions);

const isSameList = (one, other) =>
  String(one.map(sayChange).sort()) === String(other.map(sayChange).sort());

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
