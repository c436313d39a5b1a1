// What the pictures of cuts say in words: no drawing here.

const NOTHING = 5e-3; // of a difference, that is written as 0

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
  if (Number.isNaN(share)) return "has no partner in your sentence";
  if (Math.abs(share) < NOTHING) return "restores 0";
  return `restores ${share.toFixed(2).replace("-", "−")}`;
}
