// What a head is there for, as Python found it, in words: told as its job only in rows that are cases of it, and
// never in a changed run. `HeadRoles.said` is the same for Python, which knows no row.

import { percentText } from "./numbers.js";
import { say, sayOf } from "./say.js";

/** @typedef {{kind: string, layer: number, head: number}} Place */
/** A row in view, and the key that it reads most, if one stands out.
 * @typedef {{row: number, read?: number}} At */
/** @typedef {Pick<import("./types").Run, "roles"> & Partial<import("./types").Run>} Known */

const MOST_SAID = 2;

/** The sentences on one head; nothing where its jobs were not looked for yet, or in a changed run.
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

// The job that the row is a case of comes first, then the head's first other one.
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

// The keys that a row reads if it does a job.
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

/** Each job in a few words, for a thumbnail.
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

// Undefined where nobody looked, and of a changed model, whose heads may do something else.
/**
 * @param {Known} run
 * @param {Place} place
 */
function jobsOf({ roles, changed }, { kind, layer, head }) {
  return changed ? undefined : roles?.heads[kind]?.[layer]?.[head];
}

// Without decimals, but where it would be nothing or all.
function percent(share) {
  const rounded = Math.round(100 * share) / 100;
  return percentText(rounded > 0 && rounded < 1 ? rounded : share);
}
