// Packs runs for the hand without Python: `node own_hands.js`, for test_own_hand.py.

import { asked, keptOf, tell } from "../../../browser/asked.mjs";
import { answerTo } from "../../../../viz/pictures/browser/live/answer.js";
import { packHand } from "../../../../viz/subjects/touch/browser/touch_own.js";
import { tellingPull } from "../../../../viz/subjects/touch/browser/touch_telling.js";

const { checkpoint, nouns, cases } = asked;
const kept = keptOf(checkpoint);
const told = cases.map(({ text, interventions }) => {
  const [before, now] = [[], interventions].map((changes) => ({
    run: "",
    answer: answerTo(kept, text, changes),
    interventions: changes,
  }));
  const pull = tellingPull(kept.model, before.answer, new Set(nouns));
  return packHand(kept, now, before, { pull, number: 3 });
});
tell(told);
