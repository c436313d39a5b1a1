// Sentences on what a head does, as measured by Python. A job is claimed of a row only if the row is a case of it, and
// never in a changed run. `HeadRoles.said` does the same in Python, where no row is known.

import { percentText } from "./numbers.js";
import { say, sayOf } from "./say.js";

/** @typedef {{kind: string, layer: number, head: number}} Place */
/** A row in view, and the key with the row's largest weight, if one stands out.
 * @typedef {{row: number, read?: number}} At */
/** @typedef {Pick<import("./types").Run, "roles"> & Partial<import("./types").Run>} Known */

const MOST_SAID = 2;

/** Return the sentences on one head, or "" in a changed run or while its jobs are not measured.
 * @param {Known} run
 * @param {Place} place
 * @param {At} [at]
 */
export function jobsSaid(run, place, at) {
  const found = jobsOf(run, place);
  if (!found) return "";
  const over = sayOf("job.over", run.roles.over, { count: run.roles.sentences });
  if (!found.length) return say("job.does_nothing", { over });
  const cases = at && run.cases?.[place.kind];
  const here = cases ? found.filter(({ job }) => keysOf(cases, job, at).length) : [];
  if (here.length) return saidHere(found, here, over, cases, at);
  const jobs = told(found.slice(0, MOST_SAID));
  const isElsewhere = cases && found.every(({ job }) => job in cases);
  const said = isElsewhere
    ? say("job.elsewhere", { over, jobs })
    : say("job.does", { count: found.length, over, jobs });
  return withMore(said, found.length - MOST_SAID);
}

// Name first the job that the row is a case of, then the head's first other job.
function saidHere(found, here, over, cases, at) {
  const done = here.filter(({ job }) => keysOf(cases, job, at).includes(at.read));
  const [first] = done.length ? done : here;
  const jobs = told([first]);
  const said = done.length ? say("job.here", { over, jobs }) : say("job.missed", { over, jobs });
  const others = found.filter((one) => one !== first);
  if (!others.length) return said;
  const also = say("job.also", { jobs: told(others.slice(0, 1)) });
  return withMore(`${said} ${also}`, others.length - 1);
}

const withMore = (said, count) => (count > 0 ? `${said} ${say("job.more", { count })}` : said);

// Return the keys that a row reads if the head does the job there.
function keysOf(cases, job, { row }) {
  return (cases[job] ?? []).filter(([of]) => of === row).map(([, key]) => key);
}

function told(found) {
  const each = found.map(({ job, rows, rate, chance }, place) => {
    const form = `${place ? "next" : "first"}${rate === 1 ? "_all" : ""}`;
    return sayOf("job", form, {
      does: sayOf("job.words", job),
      rate: percent(rate),
      rows,
      chance: percent(chance),
    });
  });
  return each.reduce((first, second) => say("job.both", { first, second }));
}

/** Return each job in a few words, for a thumbnail.
 * @param {Known} run
 * @param {Place} place
 */
export function jobsBriefly(run, place) {
  const found = jobsOf(run, place);
  if (found && !found.length) return [sayOf("job.words", "none")];
  return (found ?? []).map(({ job, rows, rate }) => {
    const does = sayOf("job.words", job);
    return rate === 1
      ? say("job.short_all", { does, rows })
      : say("job.short", { does, rate: percent(rate), rows });
  });
}

// Return undefined if the jobs are not measured, and in a changed run, where the heads may do something else.
/**
 * @param {Known} run
 * @param {Place} place
 */
function jobsOf({ roles, changed }, { kind, layer, head }) {
  return changed ? undefined : roles?.heads[kind]?.[layer]?.[head];
}

// Write a percentage without decimals, unless that would round it to 0% or 100%.
function percent(share) {
  const rounded = Math.round(100 * share) / 100;
  return percentText(rounded > 0 && rounded < 1 ? rounded : share);
}
