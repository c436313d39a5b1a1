// The two runs that a hand works on: one before the changes, and one with the changes in force.

import { createInputs } from "../../../pictures/browser/live/inputs.js";

/** @typedef {import("./types").Pair} Pair */
/** @typedef {import("./types").Written} Written */
/** @typedef {import("../../../pictures/browser/types").Run} Run */

/** Combine what Python says about two runs with what the browser has of them.
 * @param {import("./wire").WireHand} facts
 * @param {Run} run
 * @param {Run} before
 * @param {import("./types").Ran | null} ran what the browser's own model can run again; null if it cannot
 * @returns {Pair}
 */
export const pairOf = (facts, run, before, ran) => ({
  ...facts,
  ran,
  sourceTokens: run.tokens.source,
  begin: run.tokens.target[0] ?? "",
  isGiven: run.told.given,
  now: writtenIn(run),
  was: writtenIn(before),
});

/** Return what was written in a run: in a model that only reads, the likeliest token at each position.
 * @param {Run} run
 * @returns {Written}
 */
function writtenIn({ tokens, told: { steps } }) {
  const isReader = tokens.target.length === 0;
  const written = steps.map(({ id, probability, candidates }, step) =>
    isReader ? candidates[0] : { id, probability, token: tokens.target[step + 1] },
  );
  return {
    ids: written.map(({ id }) => id),
    tokens: written.map(({ token }) => token),
    probabilities: written.map(({ probability }) => probability),
    candidates: steps.map(({ candidates }) => candidates),
  };
}

/** Create a function that returns the pair Python describes, the same until a part changes; null until the runs arrive.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 */
export function createPairs(loupe) {
  let parts = [];
  /** @type {Pair | null} */
  let pair = null;
  /** @param {import("./wire").WireHand | null} facts */
  return (facts) => {
    const [run, before] = [facts?.run, facts?.before].map((key) => loupe.runs.get(key));
    const ran = loupe.part(createInputs).get(facts?.run) ?? null;
    const now = [facts, run, before, ran];
    if (now.every((part, i) => part === parts[i])) return pair;
    parts = now;
    pair = facts && run?.told && before?.told ? pairOf(facts, run, before, ran) : null;
    return pair;
  };
}
