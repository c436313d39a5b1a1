// Stores an answer of the browser's own model among the runs of an explorer, in place of Python's run.

import { takeRun } from "../run.js";
import { keepTensors, ownTensors } from "../tensors.js";
import { predictionsOf } from "./predictions.js";

/** Store an answer as a run, with the names of the current run.
 * @param {import("../types").Loupe} loupe
 * @param {string} run the key of the run
 * @param {import("./types").Answer} answer
 * @param {import("./models").Kept} kept the model that computed it
 */
export function takeAnswer(loupe, run, answer, kept) {
  const { languages, axes, roles } = loupe.run();
  const { kinds, tokens, codes, tensors, touched, interventions } = answer;
  const { text, sentence, read } = answer;
  const prompt = answer.prompt ? { prompt: answer.prompt + 1 } : {};
  const told = {
    text,
    sentence,
    given: false,
    unknown: read.unknown.map(({ text: typed }) => typed),
    steps: predictionsOf(kept, answer),
  };
  const own = { run, kinds, tokens, languages, axes, gold: null, tensors: null, told, ...prompt };
  takeRun(loupe, own, codes);
  Object.assign(loupe.runs.get(run), {
    metrics: {},
    roles,
    changed: interventions.length > 0,
    cases: null,
  });
  keepTensors(loupe, run, { ...ownTensors(kept.model, { tensors, touched }), answer });
}
