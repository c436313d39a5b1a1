// What a head is there for, as Python found it, in words; `HeadRoles.said` is the same for Python.

import { percentText } from "./numbers.js";
import { say, sayOf } from "./say.js";

/** @typedef {{kind: string, layer: number, head: number}} Place */

const MOST_SAID = 3;

/** The sentence on one head; nothing where its jobs were not looked for yet.
 * @param {Pick<import("./types").Run, "roles">} run
 * @param {Place} place
 * @param {number} [most] so many jobs are said
 */
export function jobsSaid({ roles }, place, most = MOST_SAID) {
  const found = jobsOf(roles, place);
  if (!found) return "";
  const over = sayOf("job.over", roles.over, { count: roles.sentences });
  if (!found.length) return say("job.does_nothing", { over });
  const jobs = found.slice(0, most).map(({ job, rate, chance }, place) =>
    sayOf("job", place ? "next" : "first", {
      does: sayOf("job.words", job),
      rate: percent(rate),
      chance: percent(chance),
    }),
  );
  return say("job.does", { over, jobs: jobs.reduce(both) });
}

/** Each job in a few words, for a thumbnail.
 * @param {Pick<import("./types").Run, "roles">} run
 * @param {Place} place
 */
export function jobsBriefly({ roles }, place) {
  const found = jobsOf(roles, place);
  if (found && !found.length) return [sayOf("job.words", "none")];
  return (found ?? []).map(({ job, rate }) =>
    say("job.short", { does: sayOf("job.words", job), rate: percent(rate) }),
  );
}

const both = (first, second) => say("job.both", { first, second });

// Undefined where nobody looked.
function jobsOf(roles, { kind, layer, head }) {
  return roles?.heads[kind]?.[layer]?.[head];
}

// Without decimals, but where it would be nothing or all.
function percent(share) {
  const rounded = Math.round(100 * share) / 100;
  return percentText(rounded > 0 && rounded < 1 ? rounded : share);
}
