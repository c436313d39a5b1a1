// The interventions that a hand asks for: the same values from which Python makes its edits.

import { changeOf, placeOf } from "../../../pictures/browser/twin/changes.js";

/** @typedef {import("../../../pictures/browser/wire").WireIntervention} Intervention */
/** @typedef {import("./types").Place} Place */

const STACKS = {
  "encoder self-attention": ["encoder", "self_attn"],
  "decoder self-attention": ["decoder", "self_attn"],
  "cross-attention": ["decoder", "cross_attn"],
};

/** Return the name of the weights of a kind in a trace; a star stands for all layers.
 * @param {string} kind
 * @param {number | string} layer
 */
export function weightsName(kind, layer) {
  const [stack, attention] = STACKS[kind];
  return `${stack}.layers.${layer}.${attention}.weights`;
}

function made(kind, { kind: attention, scope, layer, head, row }, fields) {
  return changeOf(kind, weightsName(attention, scope === "all" ? "*" : layer), {
    head: scope === "head" ? head : null,
    rows: [row],
    ...fields,
  });
}

/** Return the change that pulls a share of the row's weight to a key.
 * @param {Place} place
 */
export const pulledTo = (place, column, amount = 1) =>
  made("point", place, { columns: [column], amount: Math.round(amount * 100) / 100 });

/** Return the change that hides a key from the row.
 * @param {Place} place
 */
export const cutAt = (place, column) => made("cut", place, { columns: [column] });

/** Return the change that gives the row new weights, which Python divides by their sum, too.
 * @param {Place} place
 * @param {number[]} values
 */
export const paintedWith = (place, values) =>
  made("paint", place, { values: values.map((value) => Math.round(value * 1000) / 1000) });

/** Add changes to others; a new change replaces an older one of the same place.
 * @param {Intervention[]} known
 * @param {Intervention[]} more
 */
export function withChanges(known, more) {
  const places = new Set(more.map(placeOf));
  return [...known.filter((one) => !places.has(placeOf(one))), ...more];
}

/** Return the keys that are hidden from a row in all the heads in view.
 * @param {Intervention[]} interventions
 * @param {Place} place
 */
export function cutKeys(interventions, { kind, scope, layer, head, row }) {
  const names = [weightsName(kind, "*"), weightsName(kind, layer)];
  const isHere = (one) =>
    one.kind === "cut" &&
    (scope === "all" ? one.name === names[0] : names.includes(one.name)) &&
    (one.head === null || (scope === "head" && one.head === head)) &&
    (one.rows === null || one.rows.includes(row));
  return new Set(interventions.filter(isHere).flatMap(({ columns }) => columns ?? []));
}
