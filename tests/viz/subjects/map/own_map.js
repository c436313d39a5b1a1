// Makes the map of texts from the browser's own runs: `node own_map.js`, for test_own_map.py.

import { asked, keptOf, tell } from "../../../browser/asked.mjs";
import { answerTo } from "../../../../viz/pictures/browser/live/answer.js";
import { mapOwn } from "../../../../viz/subjects/map/browser/map_own.js";
import "../../../browser/texts.mjs";

const { checkpoint, map, texts, interventions } = asked;
const kept = keptOf(checkpoint);
const told = texts.map((text) => {
  const { map: own, codes } = mapOwn(map, answerTo(kept, text, interventions));
  return { map: own, codes: [...codes] };
});
tell(told);
