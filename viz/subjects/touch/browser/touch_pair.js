// What a hand works on: two runs that the browser has, one as it was and one with the changes in force.

import { createInputs } from "../../../pictures/browser/live/inputs.js";

/** @typedef {import("./types").Pair} Pair */
/** @typedef {import("./types").Written} Written */
/** @typedef {import("../../../pictures/browser/types").Run} Run */

/** Put together what Python says of two runs and what the browser has of them.
 * @param {import("./wire").WireHand} facts
 * @param {Run} run
 * @param {Run} before
 * @param {import("./types").Ran | null} ran what the browser's own model can run once more; null where it cannot
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

/** What was written in a run. A model that only reads puts its likeliest token at each place.
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

/** Makes the pair of which Python says something, again if something of it is another; null while a run is on its way.
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
