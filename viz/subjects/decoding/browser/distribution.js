// From logits to the distribution that a token is drawn from, step for step as model/distribution.py does it.

const DISTRIBUTION_ROUNDING = 1e-6; // float32 logits give a probability no more exactly than this, so neither is top-p

// Ids, the most probable first, the lower id first among equals.
export function distributionOrder(logits) {
  return Int32Array.from(logits.keys()).sort((a, b) => logits[b] - logits[a] || a - b);
}

// Softmax in float64 of values whose largest is 0.
function distributionSoftmax(values) {
  const found = Float64Array.from(values, Math.exp);
  let sum = 0;
  for (const value of found) sum += value;
  for (let i = 0; i < found.length; i++) found[i] /= sum;
  return found;
}

// Log-probabilities under the softmax of the logits, in float64.
export function distributionLogs(logits) {
  let largest = -Infinity;
  for (const value of logits) if (value > largest) largest = value;
  let sum = 0;
  for (const value of logits) sum += Math.exp(value - largest);
  const log = Math.log(sum) + largest;
  return Float64Array.from(logits, (value) => value - log);
}

// The probabilities that a token is drawn from, and how many of the order's first are kept.
// `tempered` are those before top-k and top-p cut any. topK 0 keeps all.
export function samplingDistribution(
  logits,
  { temperature, topK, topP },
  order = distributionOrder(logits),
) {
  const largest = logits[order[0]];
  const scaled = Float64Array.from(order, (id) => (logits[id] - largest) / temperature);
  const tempered = distributionSoftmax(scaled);
  let kept = topK ? Math.min(topK, order.length) : order.length;
  let shares = topK ? distributionSoftmax(scaled.subarray(0, kept)) : tempered;
  if (topP < 1) {
    let before = 0;
    let count = 0;
    while (count < kept && before < topP - DISTRIBUTION_ROUNDING) before += shares[count++];
    kept = Math.max(count, 1);
    const sum = shares.subarray(0, kept).reduce((a, b) => a + b, 0);
    shares = Float64Array.from(shares.subarray(0, kept), (share) => share / sum);
  }
  const probabilities = new Float64Array(logits.length);
  const uncut = new Float64Array(logits.length);
  order.forEach((id, rank) => {
    uncut[id] = tempered[rank];
    if (rank < kept) probabilities[id] = shares[rank];
  });
  return { probabilities, tempered: uncut, kept };
}

// In bits; impossible tokens add nothing.
export function distributionEntropy(probabilities) {
  let sum = 0;
  for (const p of probabilities) if (p > 0) sum -= p * Math.log2(p);
  return sum;
}
