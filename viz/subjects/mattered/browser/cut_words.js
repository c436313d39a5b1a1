// The texts of the pictures of ablations; nothing is drawn here.

import { numberText } from "../../../pictures/browser/numbers.js";
import { say, written } from "../../../pictures/browser/say.js";

const NOTHING = 5e-3; // smallest share of a difference that is not written as 0

/** Return the text of a tile, for the pointer and for screen readers.
 * @param {import("./wire").WireCut} cut
 */
export function tileText({ name, said, changed, stretches }) {
  if (!changed) return say("mattered.tile_same", { part: name, damage: said });
  const texts = stretches.filter(([fate]) => fate !== "gone").map(([, text]) => text);
  return say("mattered.tile_writes", { part: name, text: texts.join(" "), damage: said });
}

/** Return the indices of the cuts, the largest damage first.
 * @param {import("./wire").WireCut[]} cuts
 */
export function byDamage(cuts) {
  return cuts.map((_, index) => index).sort((a, b) => cuts[b].damage - cuts[a].damage);
}

/** Describe a share of a difference that is restored, or by how much a number changes.
 * @param {number} share
 * @param {number | null} most the change for which 1 stands, if the share is a change of a number
 */
export function shareText(share, most) {
  if (most !== null)
    return Number.isNaN(share) ? "–" : say("mattered.moves", { value: numberText(share * most) });
  if (Number.isNaN(share)) return say("mattered.no_partner");
  if (Math.abs(share) < NOTHING) return say("mattered.restores", { share: "0" });
  return say("mattered.restores", { share: written(share.toFixed(2).replace("-", "−")) });
}
