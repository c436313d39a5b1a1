// The word before a pulled one: it was written earlier, so it may not agree with the new word.

import { say } from "../../../pictures/browser/say.js";
import { cutKeys, pulledTo, withChanges } from "./touch_ask.js";
import { placeOf } from "./touch_words.js";

/** Find out whether the word before would follow if its line were pulled as well.
 * @param {import("./types").Scene} scene
 * @param {(interventions: import("../../../pictures/browser/wire").WireIntervention[]) => import("./types").Frame} run
 * @returns {import("./types").Said | null}
 */
export function followUp(scene, run) {
  const { data, before, shown } = scene;
  const last = data.interventions.at(-1);
  if (last?.kind !== "point" || data.isGiven) return null;
  const place = placeOf(scene, last);
  const [row, column] = [place.row, last.columns[0]];
  const isOfWord = place.kind === "cross-attention" && row > 0 && row < shown.ids.length;
  if (!isOfWord || shown.ids[row] === before.ids[row]) return null;
  if (shown.ids[row - 1] !== before.ids[row - 1]) return null;
  const earlier = { ...place, row: row - 1 };
  if (cutKeys(data.interventions, earlier).size) return null;
  for (const to of [column - 1, column]) {
    if (to < 0) continue;
    const changes = [pulledTo(earlier, to)];
    const frame = run(withChanges(data.interventions, changes));
    if (frame.ids[row - 1] === shown.ids[row - 1] || frame.ids[row] !== shown.ids[row]) continue;
    const word = shown.tokens[row - 1];
    return {
      text: say("touch.earlier", { word, fresh: frame.tokens[row - 1] }),
      offer: { words: say("touch.pull_too", { word }), changes },
    };
  }
  return null;
}
