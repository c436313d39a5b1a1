// Heads that are switched off: which ones they are, and how one switch alters the changes.

import { element } from "../../../pictures/browser/elements.js";
import { createTyped } from "../../../pictures/browser/live/typed.js";
import { typedNow } from "../../../pictures/browser/run.js";
import { say } from "../../../pictures/browser/say.js";
import { headOff } from "../../../pictures/browser/twin/changes.js";

/** @typedef {import("../../../pictures/browser/wire").WireIntervention} Intervention */
/** @typedef {{kind: import("../../../pictures/browser/wire").AttentionKind, layer: number, head: number}} Head */

/** Return whether a head is off in the run in view.
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

/** Let the browser run with the change of a switch, before Python does.
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

/** Explain the bars below the thumbnails, if one of them shows a loss.
 * @param {Head["kind"]} kind of the heads in view
 * @param {import("./wire").WireHeads} sent
 */
export function damageLegend(kind, { damage, fixed }) {
  const costs = Object.entries(damage).filter(([head]) => head.startsWith(`${kind} `));
  if (fixed || !costs.some(([, cost]) => cost > 0)) return "";
  const swatch = element("span", { class: "loupe-damage-swatch", "aria-hidden": "true" });
  const said = say("attention.damage_legend");
  return element("p", { class: "loupe-note loupe-damage-legend" }, swatch, said);
}

// Return whether a change switches a head off, as heads_off in page.py does.
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
