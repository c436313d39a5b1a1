// What the map of cuts says in words and in colour: no drawing here.

import { numberText } from "../../../pictures/browser/numbers.js";

const NOTHING = 0.005; // nats that are written as 0

/** Where a damage stands on the scale of signed values: 0.5 is none. Nats have no end, so they are taken as the share
 * of a token's probability that is lost, or without the part was missing.
 * @param {number} damage in nats a token
 */
export function colourPlace(damage) {
  if (!Number.isFinite(damage)) return 0.5;
  return 0.5 + Math.sign(damage) * 0.5 * (1 - Math.exp(-Math.abs(damage)));
}

/** A damage as short as a tile is wide.
 * @param {number} damage
 */
export function shortText(damage) {
  if (!Number.isFinite(damage)) return "–";
  if (Math.abs(damage) < NOTHING) return "0";
  const decimals = Math.abs(damage) < 10 ? 2 : 1;
  return damage
    .toFixed(decimals)
    .replace("-", "−")
    .replace(/^(−?)0\./, "$1.");
}

/** What a tile says to those who point at it, or do not see it.
 * @param {import("./wire").WireCut} cut
 */
export function tileText({ name, said, changed, stretches }) {
  if (!stretches.length) return `Without ${name}: ${said}`;
  const written = stretches.filter(([fate]) => fate !== "gone").map(([, text]) => text);
  const then = changed ? `writes “${written.join(" ")}”` : "writes the same";
  return `Without ${name}: ${then}, ${said}`;
}

/** The numbers of the cuts, the largest damage first.
 * @param {import("./wire").WireCut[]} cuts
 */
export function byDamage(cuts) {
  return cuts.map((_, index) => index).sort((a, b) => cuts[b].damage - cuts[a].damage);
}

/** A share of a difference that is restored, in words.
 * @param {number} share
 */
export function shareText(share) {
  if (Number.isNaN(share)) return "has no partner in the other sentence";
  return `restores ${Math.abs(share) < 5e-4 ? "0" : numberText(Number(share.toFixed(3)))}`;
}
