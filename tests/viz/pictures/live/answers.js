// Answers texts with the browser's own model: `node answers.js`, for test_answer.py.

import { asked, keptOf, tell } from "../../../browser/asked.mjs";
import { createVocabulary } from "../../../../viz/frame/browser/vocabulary.js";
import { answerTo } from "../../../../viz/pictures/browser/live/answer.js";
import { predictionsOf } from "../../../../viz/pictures/browser/live/predictions.js";
import { carried } from "../../../../viz/pictures/browser/live/carried.js";

const { checkpoint, texts, interventions, vocabulary, logits: wantsLogits = false, continued } = asked;
const partOf = vocabulary ? createVocabulary(vocabulary).partOf : undefined;
const kept = keptOf(checkpoint);
const told = texts.map((text) => {
  const answer = answerTo(kept, text, interventions, continued);
  const { written, prompt, sentence, tokens, kinds, codes } = answer;
  const steps = predictionsOf(kept, answer);
  const telling = tellingCells(answer);
  const logits = wantsLogits ? [...answer.tensors.logits.data] : [];
  return { written, prompt, sentence, tokens, kinds, codes: [...codes], steps, telling, logits };
});

// Return the cell that each head shows after a choice in another sentence.
function tellingCells({ kinds, tokens, codes }) {
  const run = { kinds: {}, tokens };
  for (const [kind, { offset, ...stack }] of Object.entries(kinds))
    run.kinds[kind] = { ...stack, codes: codes.subarray(offset) };
  const before = { tokens: { source: ["none"], target: ["none", "none"] } };
  const cells = [];
  for (const [kind, { layers, heads }] of Object.entries(kinds))
    for (let layer = 0; layer < layers; layer++)
      for (let head = 0; head < heads; head++) {
        const { query, key } = carried(
          { kind, layer, head, query: 0, key: 0 },
          before,
          run,
          partOf,
        );
        cells.push([kind, layer, head, query, key]);
      }
  return cells;
}
tell(told);
