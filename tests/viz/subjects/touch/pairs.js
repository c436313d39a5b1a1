// Prints the pair of frames that the hand works on for runs from Python, and the result of the browser's own model:
// `node pairs.js`, for test_pair.py.

import { createLoupe } from "../../../../viz/pictures/browser/explorer.js";
import { answerTo } from "../../../../viz/pictures/browser/live/answer.js";
import { createInputs } from "../../../../viz/pictures/browser/live/inputs.js";
import { createModels } from "../../../../viz/pictures/browser/live/models.js";
import { takeRun } from "../../../../viz/pictures/browser/run.js";
import { createHand } from "../../../../viz/subjects/touch/browser/touch_hand.js";
import { tellingPull } from "../../../../viz/subjects/touch/browser/touch_telling.js";
import { asked, keptOf, tell } from "../../../browser/asked.mjs";

const { checkpoint, nouns, cases } = asked;
const kept = checkpoint && keptOf(checkpoint);

const told = cases.map(({ facts, runs, inputs }) => {
  const loupe = createLoupe(/** @type {any} */ (null));
  for (const run of runs) takeRun(loupe, run, new Uint16Array());
  if (inputs) {
    loupe.part(createModels).put(inputs.model.key, kept);
    loupe.part(createInputs).set(facts.run, inputs);
  }
  const hand = createHand(
    loupe,
    () => {},
    () => {},
  );
  hand.take(facts, () => {});
  const { now, was, begin, sourceTokens, isGiven } = hand.pair();
  const pair = { now, was, begin, sourceTokens, isGiven };
  if (!inputs) return { pair };
  const { tokens, ids } = hand.frames.twin(facts.interventions);
  const pull = tellingPull(kept.model, answerTo(kept, inputs.text), new Set(nouns));
  return { pair, twin: { tokens, ids }, difference: hand.frames.difference(), pull };
});
tell(told);
