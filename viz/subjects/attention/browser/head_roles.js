// What a head does in other sentences, as Python found it, in words.

import { percentText } from "../../../pictures/browser/numbers.js";
import { say, sayOf } from "../../../pictures/browser/say.js";

/** @typedef {{kind: string, layer: number, head: number}} Place */

/** The sentence on one head; nothing where its job was not looked for yet.
 * @param {import("../../../pictures/browser/types").Run} run
 * @param {Place} place
 */
export function roleSaid({ roles }, place) {
  const role = roleOf(roles, place);
  if (role === undefined) return "";
  const isHere = roles.sentences === 0; // looked for in the text in view alone
  const count = roles.sentences;
  if (role === null)
    return isHere ? say("attention.no_role_here") : say("attention.no_role_over", { count });
  const does = sayOf("job.said", role.job);
  const said = { does, rate: percent(role.rate), chance: percent(role.chance) };
  return isHere ? say("attention.role_here", said) : say("attention.role_over", { ...said, count });
}

/** The same in a few words, for a thumbnail.
 * @param {import("../../../pictures/browser/types").Run} run
 * @param {Place} place
 */
export function roleWords({ roles }, place) {
  const role = roleOf(roles, place);
  if (role === undefined) return "";
  if (!role) return sayOf("job.words", roles.sentences ? "no_job" : "no_pattern");
  return say("attention.role_short", {
    does: sayOf("job.words", role.job),
    rate: percent(role.rate),
  });
}

// Undefined where it was not looked for, null where there is none.
function roleOf(roles, { kind, layer, head }) {
  return roles?.heads[kind]?.[layer]?.[head];
}

const percent = (share) => percentText(Math.round(100 * share) / 100);
