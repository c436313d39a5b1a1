// Asks about sentences in the browser's own model: `node own_questions.js`, for test_own_question.py.

import { mock } from "node:test";
import { asked, keptOf, tell } from "../../../browser/asked.mjs";
import { createVocabulary } from "../../../../viz/frame/browser/vocabulary.js";
import { answerTo } from "../../../../viz/pictures/browser/live/answer.js";
import { createOwn } from "../../../../viz/subjects/start/browser/start_own.js";

const { checkpoint, vocabulary, interventions, cases } = asked;
const kept = keptOf(checkpoint);
const { partOf } = createVocabulary(vocabulary);

const PAUSE = 1000; // in which every head is cut
mock.timers.enable({ apis: ["setTimeout"] });

const told = cases.map(({ text, word }) => {
  const answer = answerTo(kept, text, interventions);
  const own = createOwn(() => {});
  const ask = () => own.ask(answer, kept.model, partOf, { chosen: word, asked: undefined });
  ask();
  mock.timers.tick(PAUSE);
  const { layer, head, query, reading } = ask();
  const numbers = Object.entries(reading).map(([name, value]) => [
    name,
    value instanceof Float32Array ? Array.from(value) : value,
  ]);
  return { layer, head, query, reading: Object.fromEntries(numbers) };
});
tell(told);
