// From the most probable tokens of a step to the distribution from which a token is drawn, step for step as in
// model/decoding/distribution.py. Of all other tokens, only sums need to be known.

const DISTRIBUTION_ROUNDING = 1e-6; // precision of probabilities from float32 logits, and so of top-p

/** The sums over the other tokens of a step at one temperature.
 * @typedef {{count: number, sum: number, weighted: number}} Others
 */

// Return the distances below the largest logit, and the weight of each token before the weights are normalised.
function tempered(logits, others, temperature) {
  const scaled = Float64Array.from(logits, (logit) => (logit - logits[0]) / temperature);
  const powers = scaled.map(Math.exp);
  return { scaled, powers, total: powers.reduce((sum, power) => sum + power, others.sum) };
}

/** The sums if there are no other tokens. @type {Others} */
export const NO_OTHERS = { count: 0, sum: 0, weighted: 0 };

/** Return the ids of the largest logits, in descending order, with the lower id first among equals.
 * @param {Float32Array} logits
 */
export function rankedIds(logits, count = logits.length) {
  const least = count < logits.length ? logits.slice().sort()[logits.length - count] : -Infinity;
  const ids = new Int32Array(logits.length);
  let found = 0;
  for (let id = 0; id < logits.length; id++) if (logits[id] >= least) ids[found++] = id;
  return ids
    .subarray(0, found)
    .sort((a, b) => logits[b] - logits[a] || a - b)
    .subarray(0, count);
}

/** Compute the sums over all tokens except the most probable ones.
 * @param {Float32Array} logits
 * @param {Int32Array} best the ids of those, the most probable first
 * @returns {Others}
 */
export function othersThan(logits, best, temperature = 1) {
  const isOther = new Uint8Array(logits.length).fill(1);
  for (const id of best) isOther[id] = 0;
  const others = { count: logits.length - best.length, sum: 0, weighted: 0 };
  if (!others.count) return others;
  const largest = logits[best[0]];
  for (let id = 0; id < logits.length; id++) {
    if (!isOther[id]) continue;
    const scaled = (logits[id] - largest) / temperature;
    const power = Math.exp(scaled);
    others.sum += power;
    if (power > 0) others.weighted += power * scaled;
  }
  return others;
}

/** Compute the log-probabilities of the most probable tokens, in float64.
 * @param {ArrayLike<number>} logits in descending order
 * @param {Others} others the others at a temperature of 1
 */
export function rankedLogs(logits, others) {
  const { scaled, total } = tempered(logits, others, 1);
  return scaled.map((value) => value - Math.log(total));
}

/** Compute the distribution from which a token is drawn, by the rank of each token from 0.
 *
 * `tempered` are the probabilities before top-k and top-p cut any, and `kept` counts the tokens that remain. If the cut
 * is among the other tokens, `kept` is null, and the probabilities are those before the cut.
 * @param {ArrayLike<number>} logits in descending order
 * @param {Others} others the others at this temperature
 * @param {{temperature: number, topK: number, topP: number}} shaping topK 0 keeps all
 */
export function samplingDistribution(logits, others, { temperature, topK, topP }) {
  const { scaled, powers, total } = tempered(logits, others, temperature);
  const shares = powers.map((power) => power / total);
  // Return the share of a token whose log-probability, unshaped, is this far below the best one's.
  const shareOf = (distance) => Math.exp(distance / temperature) / total;
  const size = logits.length + others.count;
  const cut = cutShares(powers, total, topK && topK < size ? topK : size, topP, size);
  if (cut)
    return {
      probabilities: cut,
      tempered: shares,
      kept: cut.length,
      shareOf,
      others: 0,
      nats: natsOf(cut),
    };
  const known = powers.reduce((sum, power, i) => sum + (power > 0 ? power * scaled[i] : 0), 0);
  return {
    probabilities: shares,
    tempered: shares,
    kept: (!topK || topK >= size) && topP >= 1 ? size : null,
    shareOf,
    others: others.sum / total,
    nats: Math.log(total) - (known + others.weighted) / total,
  };
}

// Return the shares after top-k and top-p, or null if they cut nothing or their cut is beyond the known tokens.
function cutShares(powers, total, topK, topP, size) {
  if (topK === size && topP >= 1) return null;
  if (topK > powers.length && topK < size) return null;
  const first = powers.subarray(0, topK);
  const whole = topK < size ? first.reduce((sum, power) => sum + power, 0) : total;
  let kept = topK;
  if (topP < 1) {
    let before = 0;
    kept = 0;
    while (kept < first.length && before < topP - DISTRIBUTION_ROUNDING)
      before += first[kept++] / whole;
    if (before < topP - DISTRIBUTION_ROUNDING && first.length < topK) return null;
    kept = Math.max(kept, 1);
  }
  const left = first.subarray(0, kept);
  const sum = left.reduce((all, power) => all + power, 0);
  return left.map((power) => power / sum);
}

// Compute the entropy in nats; impossible tokens add nothing.
function natsOf(probabilities) {
  return probabilities.reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0);
}
