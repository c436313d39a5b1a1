// The sentence that is being typed, and changes that were just made: run by the browser's own model at once, until
// Python's run is here.

import { createBeneath, TYPED, typedNow } from "../run.js";
import { canDo } from "../twin/changes.js";
import { createAsker } from "./asking.js";
import { carried } from "./carried.js";
import { createCheck, isSameList } from "./check.js";

/** @typedef {import("../wire").WireInputs} Inputs */
/** @typedef {import("../wire").WireIntervention} Intervention */

const PAUSE_MS = 1500;
const PATIENCE_MS = 10_000; // with a change that Python does not make after all

/** What is known now.
 * @typedef {object} Now
 * @property {Inputs | null} ran what Python ran last
 * @property {string | null} text as it is typed now; null while it is what Python ran
 * @property {string} unfinished of it: a word that is no word yet, and that the model does not read
 * @property {ReturnType<typeof setTimeout> | null} pause
 */

/** Keeps what is typed or changed, and what the model makes of it.
 * @param {import("../types").Loupe} loupe
 */
export function createTyped(loupe) {
  /** @type {Now} */
  const now = { ran: null, text: null, unfinished: "", pause: null };
  const beneath = loupe.part(createBeneath);
  const view = createView(loupe, beneath, (word) => typed.partOf(word));
  const check = createCheck(loupe);
  const ahead = createAhead(() => acts.leave());
  const take = (answer, { model }) => {
    if (now.ran?.model.key !== model.key || !acts.isAhead()) return;
    if (loupe.selection.run !== TYPED) beneath.selection = loupe.selection;
    const isTyped = now.text !== null;
    if (!answer) typed.unanswered();
    else if (view.show({ ...answer, isTyped }, now.ran)) check.answered(answer);
  };
  const runner = { ask: (task, done, fail) => loupe.runner.ask(task, done, fail) };
  const asker = createAsker(runner, take, (fault) => typed.failed(fault));
  const acts = {
    isAhead: () => now.text !== null || ahead.isAny(),
    changes: () => ahead.latest() ?? now.ran?.interventions ?? [],
    ask() {
      const { ran, text, unfinished } = now;
      const whole = text === null ? ran.text : text.slice(0, text.length - unfinished.length);
      const next = asked(ran, whole, acts.changes());
      if (whole.trim() && next.interventions.every(canDo)) asker.ask({ do: "run", ...next });
    },
    leave() {
      clearTimeout(now.pause);
      now.text = null;
      ahead.clear();
      view.leave();
    },
    /** Show what is ahead of Python; where nothing is, Python's run. */
    follow() {
      if (!acts.isAhead()) view.leave();
      else if (now.ran) acts.ask();
    },
  };
  const typed = {
    ...createReactions(),
    /** Get ready for what may be typed: the first run takes longer. */
    prepare: () => now.ran?.text && !asker.knows(now.ran.model) && acts.ask(),
    /** Get ready for what may be changed. */
    prepareChange: () => takesChanges(now) && typed.prepare(),
    checked: check.now,
    /** The word that is no word yet. */
    unfinished: () => (now.text === null ? "" : now.unfinished),
    /** The changes in force, those included that Python has not made yet. */
    changes: acts.changes,
    leave: acts.leave,
    ...fromPython(now, acts, ahead, (inputs) => {
      check.ran(inputs);
      if (acts.isAhead()) acts.ask();
      else if (inputs.run === beneath.selection?.run) view.leave(); // it ran another text, and went back at once
    }),
    ...fromPerson(now, acts, ahead, loupe),
  };
  return typed;
}

// Whether the browser makes changes before Python: a large model would need longer for all that Python writes.
const takesChanges = ({ ran }) => Boolean(ran) && !ran.model.in_parts;

// What a page may replace.
const createReactions = () => ({
  /** The part of speech of a word, once a vocabulary is here.
   * @type {import("./carried.js").PartOf}
   */
  partOf: () => undefined,
  /** What is done where a text has too many tokens: in the app Python says so. */
  unanswered: () => {},
  /** What is done where a text could not be run.
   * @param {Error} fault
   */
  failed: (fault) => console.error("loupe: the browser cannot run this text", fault),
});

// What Python says of its runs.
function fromPython(now, acts, ahead, follow) {
  return {
    /** Python has run something.
     * @param {Inputs} inputs
     */
    learn(inputs) {
      if (now.ran) ahead.learn(now.ran.interventions, inputs.interventions);
      now.ran = inputs;
      if (inputs.text === now.text) now.text = null;
      follow(inputs);
    },
    /** Whether the browser's own model has rounded weights: Python's numbers are others. */
    isRounded: () => Boolean(now.ran?.model.in_parts),
    /** What Python ran is no longer in view, and what is there the browser cannot run.
     * @param {Inputs} inputs
     */
    forget(inputs) {
      if (now.ran === inputs) now.ran = null;
    },
    /** Python has these changes in force. If its last run has them too, it makes no other run for those asked for here.
     * @param {Intervention[]} made
     */
    hasMade(made) {
      const isLatest = ahead.isAny() && isSameList(made, ahead.latest());
      if (!now.ran || !isLatest || !isSameList(made, now.ran.interventions)) return;
      ahead.clear();
      acts.follow();
    },
  };
}

// What a person does.
function fromPerson(now, acts, ahead, loupe) {
  return {
    /** Another text is typed into the field.
     * @param {string} typed
     * @param {string} begun at its end: what no word is yet
     * @param {() => void} commit lets Python run it
     */
    type(typed, begun, commit) {
      clearTimeout(now.pause);
      const { ran } = now;
      if (!ran || ran.given) return;
      if (typed === ran.text && !ahead.isAny()) return acts.leave();
      now.text = typed === ran.text ? null : typed;
      now.unfinished = begun;
      acts.ask();
      now.pause = setTimeout(commit, PAUSE_MS);
    },
    /** The field holds a text, whoever put it there. If it is not what was typed, nobody wants that any more.
     * @param {string} value
     */
    hold(value) {
      if (now.text === null || value === now.text) return;
      clearTimeout(now.pause);
      now.text = null;
      acts.follow();
    },
    /** Other changes were asked for.
     * @param {Intervention[]} interventions all that will be in force
     */
    change(interventions) {
      const { ran } = now;
      if (!takesChanges(now) || ran.given || loupe.asked || !interventions.every(canDo)) return;
      if (ahead.push(interventions, acts.changes())) acts.ask();
    },
    /** The browser went back or forward: the address says which changes are in force. */
    goBack() {
      ahead.clear();
      acts.follow();
    },
  };
}

// Puts in view what the browser's own model answered, and Python's run again.
function createView(loupe, beneath, partOf) {
  let shown = null; // the selection as it was put in view: a person who chooses makes another one
  let isMoved = false; // whether a person has chosen since it is in view
  let chosen = null; // where, and in which text: half a sentence, in which nobody chose, means nothing
  const isTyped = () => loupe.selection?.run === TYPED;
  return {
    /** Show an answer in the place of what was there; false if there is nothing of its kind in view. */
    show(answer, ran) {
      const like = loupe.run();
      if (!loupe.runner.take(answer, ran.model)) return false;
      if (!isTyped()) isMoved = false;
      else if (loupe.selection !== shown) isMoved = true;
      if (loupe.selection !== shown) chosen = { place: loupe.selection, tokens: like.tokens };
      const place = carried(chosen.place, chosen, loupe.runs.get(TYPED), partOf);
      shown = { ...loupe.selection, ...place, run: TYPED };
      loupe.selection = shown;
      loupe.tell("run");
      return true;
    },
    /** Show Python's run, with the cell that was chosen in it; of the same text, with the cell chosen since. */
    leave() {
      if (!isTyped()) return;
      isMoved ||= loupe.selection !== shown;
      const isSameText = !typedNow(loupe)?.isTyped;
      loupe.selection = isMoved && isSameText ? chosenIn(loupe, beneath) : beneath.selection;
      loupe.tell("run");
      beneath.left();
    },
  };
}

// The cell in view, in the run that is beneath.
function chosenIn(loupe, { selection: before }) {
  const under = loupe.runs.get(before.run);
  if (!under) return before;
  const { kind, layer, head } = loupe.selection;
  const place = carried(loupe.selection, loupe.run(), under); // of the same text
  const step = kind === "encoder self-attention" ? before.step : place.query;
  return { ...before, kind, layer, head, ...place, step };
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

// What names positions or another run means nothing in another text.
/** @returns {import("./types").Asked} */
const asked = ({ model, text: same }, text, interventions) => ({
  model,
  text,
  interventions: interventions.filter(
    ({ rows, columns, origin }) => text === same || (!rows && !columns && !origin),
  ),
});
