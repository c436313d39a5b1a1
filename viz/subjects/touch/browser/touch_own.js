// Touch without Python: what a hand does to a sentence, run and undone in the browser alone.

import { answerTo, longestWritten } from "../../../pictures/browser/live/answer.js";
import { createInputs } from "../../../pictures/browser/live/inputs.js";
import { createModels } from "../../../pictures/browser/live/models.js";
import { takeAnswer } from "../../../pictures/browser/live/taken.js";
import { components } from "./touch.js";
import { withChanges } from "./touch_ask.js";
import { tellingPull } from "./touch_telling.js";

/** @typedef {import("../../../pictures/browser/live/types").Answer} Answer */
/** @typedef {import("../../../pictures/browser/live/models").Kept} Kept */
/** @typedef {import("../../../pictures/browser/wire").WireIntervention} Intervention */
/** @typedef {{run: string, answer: Answer}} Ran */

const MODEL = "own";
let runs = 0; // taken so far: each has a key of its own

/** Start the page.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {HTMLElement} host
 * @param {Kept} kept
 * @param {string[]} nouns of the source's language, whose lines are offered first
 * @param {boolean} isLinked whether the link asks for a cell: the first sentence begins with that one
 * @returns {(answer: Answer) => void} shows another sentence, whose run is in view
 */
export function begin(loupe, host, kept, nouns = [], isLinked = false) {
  loupe.part(createModels).put(MODEL, kept);
  const ours = new Set(); // keys of runs
  let number = 0; // of the last change that the picture reported
  /** @type {Ran} */
  let before = null;
  /** @type {import("./wire").WirePull | null} */
  let pull = null;
  /** @type {Intervention[][]} */
  let lists = [[]]; // of changes; the last one is in force

  /** @param {Answer} answer @returns {Ran} */
  const take = (answer) => {
    const run = `touch ${runs++}`;
    takeAnswer(loupe, run, answer, kept);
    loupe.part(createInputs).set(run, inputsOf(kept.model, run, answer));
    ours.add(run);
    return { run, answer };
  };
  /** @param {Ran} now @param {object} cell that is chosen */
  const show = (now, cell) => {
    const { interventions } = now.answer;
    const facts = { run: now.run, before: before.run, isPrompted: false, interventions };
    const data = { ...facts, pull, number };
    loupe.selection = { ...loupe.selection, run: now.run };
    for (const run of ours) if (run !== now.run && run !== before.run) forget(run);
    loupe.mount("touch", components.touch, { data, parentElement: host, setTriggerValue: change });
    loupe.select(cell);
    loupe.tell("run");
  };
  const forget = (run) => {
    ours.delete(run);
    loupe.runs.delete(run);
    loupe.traces.delete(run);
    loupe.part(createInputs).delete(run);
  };
  const change = (_event, made) => {
    number = made.number;
    if (made.do === "undo") lists = lists.slice(0, Math.max(1, lists.length - 1));
    else lists = withList(lists, withChanges(lists.at(-1), made.interventions));
    const asked = lists.at(-1);
    const { query, key } = loupe.selection;
    const now = asked.length ? take(answerTo(kept, before.answer.text, asked)) : before;
    show(now, { query, key });
  };
  return (answer) => {
    lists = [[]];
    pull = tellingPull(kept.model, answer, new Set(nouns));
    before = take(answer);
    const { kind, query, key } = loupe.selection;
    const isKept = isLinked;
    isLinked = false;
    if (isKept) return show(before, { kind, query, key });
    const cell = pull ? { query: pull.row, key: pull.to } : { query, key };
    show(before, { kind: "cross-attention", ...cell });
  };
}

// Append a list of changes unless it equals the last one.
const withList = (lists, next) =>
  JSON.stringify(next) === JSON.stringify(lists.at(-1)) ? lists : [...lists, next];

/** Return what a run was made from, in the form in which Python sends it.
 * @param {import("../../../pictures/browser/twin/types").Model} model
 * @param {string} run
 * @param {Answer} answer
 * @returns {import("../../../pictures/browser/wire").WireInputs}
 */
const inputsOf = ({ config }, run, { text, read, written, interventions }) => ({
  run,
  model: { key: MODEL, address: "" },
  text,
  source: read.ids,
  written,
  given: false,
  longest: longestWritten(config, read.ids),
  interventions,
});
