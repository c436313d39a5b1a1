// Draws the same tokens as PyTorch from the same seed; see `draw` in model/decoding/distribution.py.

import { NO_OTHERS, rankedIds, samplingDistribution } from "./distribution.js";

/** Make the function that draws a token from the logits of each step.
 * @param {{temperature: number, topK: number, topP: number}} shaping topK 0 keeps all
 * @param {number} seed
 * @returns {(logits: Float32Array) => number}
 */
export function createDraw(shaping, seed) {
  const uniform = createUniform(seed);
  return (logits) => {
    const ids = rankedIds(logits);
    const best = Float32Array.from(ids, (id) => logits[id]);
    const { probabilities } = samplingDistribution(best, NO_OTHERS, shaping);
    const upTo = new Float64Array(logits.length);
    for (const [rank, probability] of probabilities.entries()) upTo[ids[rank]] = probability;
    for (let id = 1; id < upTo.length; id++) upTo[id] += upTo[id - 1];
    const drawn = uniform() * upTo.at(-1);
    return upTo.findIndex((share) => share > drawn); // so that a token of probability 0 is never drawn
  };
}

const SIZE = 624;
const MIDDLE = 397;

/** Make a generator of numbers in [0, 1) with 53 bits, those of `torch.rand` in float64 (Mersenne Twister).
 * @param {number} seed
 */
export function createUniform(seed) {
  const state = new Uint32Array(SIZE);
  state[0] = seed;
  for (let i = 1; i < SIZE; i++)
    state[i] = Math.imul(1812433253, state[i - 1] ^ (state[i - 1] >>> 30)) + i;
  let at = SIZE;
  const bits = () => {
    if (at === SIZE) {
      turn(state);
      at = 0;
    }
    return tempered(state[at++]);
  };
  return () => {
    const high = bits() & 0x1fffff;
    return (high * 2 ** 32 + bits()) * 2 ** -53;
  };
}

function turn(state) {
  for (let i = 0; i < SIZE; i++) {
    const both = (state[i] & 0x80000000) | (state[(i + 1) % SIZE] & 0x7fffffff);
    state[i] = state[(i + MIDDLE) % SIZE] ^ (both >>> 1) ^ (both & 1 ? 0x9908b0df : 0);
  }
}

function tempered(word) {
  let bits = word ^ (word >>> 11);
  bits ^= (bits << 7) & 0x9d2c5680;
  bits ^= (bits << 15) & 0xefc60000;
  return (bits ^ (bits >>> 18)) >>> 0;
}
