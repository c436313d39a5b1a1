// The distribution of a step that the player shows.

import { samplingDistribution } from "./distribution.js";

const UNSHAPED = { temperature: 1, topK: 0, topP: 1 };

/** The model's own, or as the sampler shapes it.
 * @param {import("./studio").Path} path
 */
export function playerDistribution(studio, path, step) {
  const shaping = path.mode === "Sampling" ? studio.shaping : UNSHAPED;
  const { logits } = path.facts(step);
  return samplingDistribution(logits, path.others(step, shaping.temperature), shaping);
}
