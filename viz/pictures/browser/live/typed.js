// The sentence that is being typed, and changes just made. The browser's own model runs them at once, and Python's run
// replaces the result.

import { createBeneath, TYPED, typedNow } from "../run.js";
import { canDo } from "../twin/changes.js";
import { createAsker } from "./asking.js";
import { carried } from "./carried.js";
import { createCheck, isSameList } from "./check.js";

/** @typedef {import("../wire").WireInputs} Inputs */
/** @typedef {import("../wire").WireIntervention} Intervention */

const PAUSE_MS = 1500;
const PATIENCE_MS = 10_000; // how long to wait for a change, in case Python does not make it

/** The current state.
 * @typedef {object} Now
 * @property {Inputs | null} ran the inputs of Python's latest run
 * @property {string | null} text the text as it is typed now; null if it is the text of Python's run
 * @property {string} unfinished the end of it that is not a complete word yet, which the model does not read
 * @property {ReturnType<typeof setTimeout> | null} pause
 */

/** Track what is typed or changed, and have the browser's own model run it.
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
    /** Show the state that Python has not run yet, or Python's run if there is none. */
    follow() {
      if (!acts.isAhead()) view.leave();
      else if (now.ran) acts.ask();
    },
  };
  const typed = {
    ...createReactions(),
    /** Get ready for typing, because the first run takes longer. */
    prepare: () => now.ran?.text && !asker.knows(now.ran.model) && acts.ask(),
    /** Get ready for changes. */
    prepareChange: () => takesChanges(now) && typed.prepare(),
    checked: check.now,
    /** Return the end of the text that is not a complete word yet. */
    unfinished: () => (now.text === null ? "" : now.unfinished),
    /** Return the changes in force, including those that Python has not made yet. */
    changes: acts.changes,
    leave: acts.leave,
    ...fromPython(now, acts, ahead, (inputs) => {
      check.ran(inputs);
      if (acts.isAhead()) acts.ask();
      else if (inputs.run === beneath.selection?.run) view.leave(); // Python ran another text, and returned at once
    }),
    ...fromPerson(now, acts, ahead, loupe),
  };
  return typed;
}

// Return whether the browser makes changes before Python. A large model would need too long to write as much as Python.
const takesChanges = ({ ran }) => Boolean(ran) && !ran.model.in_parts;

// Return the callbacks that a page may replace.
const createReactions = () => ({
  /** Return the part of speech of a word, if a vocabulary is loaded.
   * @type {import("./carried.js").PartOf}
   */
  partOf: () => undefined,
  /** Called if a text has too many tokens. In the app, Python reports that. */
  unanswered: () => {},
  /** Called if a text could not be run.
   * @param {Error} fault
   */
  failed: (fault) => console.error("loupe: the browser cannot run this text", fault),
});

// Return the functions that take news from Python.
function fromPython(now, acts, ahead, follow) {
  return {
    /** Note that Python has run something.
     * @param {Inputs} inputs
     */
    learn(inputs) {
      if (now.ran) ahead.learn(now.ran.interventions, inputs.interventions);
      now.ran = inputs;
      if (inputs.text === now.text) now.text = null;
      follow(inputs);
    },
    /** Return whether the browser's own model has rounded weights, so that Python's numbers differ. */
    isRounded: () => Boolean(now.ran?.model.in_parts),
    /** Note that Python's run is no longer shown, and that the browser cannot run what replaced it.
     * @param {Inputs} inputs
     */
    forget(inputs) {
      if (now.ran === inputs) now.ran = null;
    },
    /** Note the changes in force in Python. If its last run has them, no other run follows for those requested here.
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

// Return the functions that follow a person's actions.
function fromPerson(now, acts, ahead, loupe) {
  return {
    /** Note that another text is typed into the field.
     * @param {string} typed
     * @param {string} begun the end of it that is not a complete word yet
     * @param {() => void} commit lets Python run the text
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
    /** Note the text in the field, whoever put it there. If it is not the typed text, drop that one.
     * @param {string} value
     */
    hold(value) {
      if (now.text === null || value === now.text) return;
      clearTimeout(now.pause);
      now.text = null;
      acts.follow();
    },
    /** Note that other changes were requested.
     * @param {Intervention[]} interventions all changes that will be in force
     */
    change(interventions) {
      const { ran } = now;
      if (!takesChanges(now) || ran.given || loupe.asked || !interventions.every(canDo)) return;
      if (ahead.push(interventions, acts.changes())) acts.ask();
    },
    /** Note that the browser went back or forward, so that the changes in force come from the address. */
    goBack() {
      ahead.clear();
      acts.follow();
    },
  };
}

// Show the answer of the browser's own model, or Python's run again.
function createView(loupe, beneath, partOf) {
  let shown = null; // the selection as first shown: a choice by a person makes another one
  let isMoved = false; // whether a person has chosen since then
  let chosen = null; // the place that a person chose, and its text, because a half-typed text has no choice of its own
  const isTyped = () => loupe.selection?.run === TYPED;
  return {
    /** Show an answer in place of the current run. Return false if there is no run, or if its model is gone. */
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
    /** Show Python's run with the cell that was chosen in it or, if its text is the same, the cell chosen since. */
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

// Return the current cell in the run beneath.
function chosenIn(loupe, { selection: before }) {
  const under = loupe.runs.get(before.run);
  if (!under) return before;
  const { kind, layer, head } = loupe.selection;
  const place = carried(loupe.selection, loupe.run(), under); // of the same text
  const step = kind === "encoder self-attention" ? before.step : place.query;
  return { ...before, kind, layer, head, ...place, step };
}

// Track the changes made since Python's last run, each as the list of all changes in force after it.
function createAhead(giveUp) {
  /** @type {Intervention[][]} */
  let lists = [];
  let patience = null;
  return {
    isAny: () => lists.length > 0,
    latest: () => lists.at(-1),
    clear: () => (lists = []),
    /** Note the changes in force now; return false if they are the same as before. */
    push(list, before) {
      if (isSameList(list, before)) return false;
      lists.push(list);
      clearTimeout(patience);
      patience = setTimeout(() => lists.length && giveUp(), PATIENCE_MS);
      return true;
    },
    /** Drop the changes that Python has made now, with those before them. A run with earlier ones may still arrive. */
    learn(before, made) {
      if (isSameList(before, made)) return;
      const place = lists.findIndex((list) => isSameList(list, made));
      lists = place < 0 ? [] : lists.slice(place + 1);
    },
  };
}

// Leave out the changes that name positions or another run, because in another text they mean nothing.
/** @returns {import("./types").Asked} */
const asked = ({ model, text: same }, text, interventions) => ({
  model,
  text,
  interventions: interventions.filter(
    ({ rows, columns, origin }) => text === same || (!rows && !columns && !origin),
  ),
});
