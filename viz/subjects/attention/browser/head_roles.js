// What a head does in other sentences, as Python found it, in words.

/** @typedef {{kind: string, layer: number, head: number}} Place */

/** The sentence on one head; nothing where its job was not looked for yet.
 * @param {import("../../../pictures/browser/types").Run} run
 * @param {Place} place
 */
export function roleSaid({ roles }, place) {
  const role = roleOf(roles, place);
  if (role === undefined) return "";
  const isHere = roles.sentences === 0; // looked for in the text in view alone
  const sentences = isHere ? "In this text" : `Over ${roles.sentences} other sentences`;
  if (role === null)
    return `${sentences}, no single ${isHere ? "pattern" : "job"} was found for it.`;
  const plain = role.job.replace(/(^|, )reads /, "$1this head reads ");
  const does = plain === role.job ? `in this head ${role.job}` : plain;
  const often = `${percent(role.rate)} of the time; by chance it would be ${percent(role.chance)}`;
  return `${sentences}, ${does} ${often}.`;
}

/** The same in a few words, for a thumbnail.
 * @param {import("../../../pictures/browser/types").Run} run
 * @param {Place} place
 */
export function roleWords({ roles }, place) {
  const role = roleOf(roles, place);
  if (role === undefined) return "";
  if (role) return `${role.job} (${percent(role.rate)})`;
  return roles.sentences ? "no single job found" : "no single pattern found";
}

// Undefined where it was not looked for, null where there is none.
function roleOf(roles, { kind, layer, head }) {
  return roles?.heads[kind]?.[layer]?.[head];
}

const percent = (share) => `${Math.round(100 * share)} %`;
