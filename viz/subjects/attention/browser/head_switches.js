// Heads that are switched off: which they are, and what one switch makes of the changes.

import { createTyped } from "../../../pictures/browser/live/typed.js";
import { typedNow } from "../../../pictures/browser/run.js";
import { headOff } from "../../../pictures/browser/twin/changes.js";

/** @typedef {import("../../../pictures/browser/wire").WireIntervention} Intervention */
/** @typedef {{kind: import("../../../pictures/browser/wire").AttentionKind, layer: number, head: number}} Head */

/** Whether a head is off in the run in view.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {import("./wire").WireHeads} sent
 * @param {Head} place
 */
export function isOff(loupe, { run, off }, place) {
  const { kind, layer, head } = place;
  if (run === loupe.selection.run) return off.includes(`${kind} ${layer} ${head}`);
  const made = typedNow(loupe)?.interventions ?? loupe.part(createTyped).changes();
  return made.some((one) => isOf(loupe, one, place));
}

/** Let the browser run what a switch changes, before Python does.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {Head} place
 */
export function switchHere(loupe, place) {
  const typed = loupe.part(createTyped);
  const known = typed.changes();
  const others = known.filter((made) => !isOf(loupe, made, place));
  const isOn = others.length === known.length;
  typed.change(isOn ? [...others, headOff(nameOf(loupe, place), place.head)] : others);
}

// As heads_off in switches.py.
const isOf = (loupe, { kind, name, head, rows, columns }, place) =>
  ["zero", "mean"].includes(kind) &&
  !rows &&
  !columns &&
  head === place.head &&
  name === nameOf(loupe, place);

const nameOf = (loupe, { kind, layer }) =>
  loupe
    .stack(kind)
    .name.replace("{layer}", String(layer))
    .replace(/weights$/, "heads");
