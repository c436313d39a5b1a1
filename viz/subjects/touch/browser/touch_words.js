// What the hand's picture says: what a pull did, why it did nothing, and what would help.

import { differenceText, percentText } from "../../../pictures/browser/numbers.js";
import { cutAt, pulledTo } from "./touch_ask.js";
import { MOST_OFF, otherWeights } from "./touch_frames.js";

/** @typedef {import("./types").Scene} Scene */
/** @typedef {import("./types").Said} Said */

const quoted = (token) => `“${token}”`;
// The word that reads, as it stood before the hand moved.
const reader = ({ reader: token }) => quoted(token);

/** Name the heads that are held.
 * @param {import("./types").Place} place
 */
export function scopeWords({ scope, layer, head }) {
  if (scope === "all") return "all heads of all layers";
  return scope === "layer" ? `the heads of layer ${layer}` : `head ${head} of layer ${layer}`;
}

/** What is said while a hand moves.
 * @param {Scene} scene
 */
export function movingWords(scene) {
  const { pulled, keys } = scene;
  if (!pulled) return `The weights of ${reader(scene)} as painted, divided by their sum`;
  return `${percentText(pulled.amount)} of the weight of ${reader(scene)} pulled to ${quoted(keys[pulled.to])}`;
}

/** What the last change did.
 * @param {Scene} scene
 * @returns {Said}
 */
export function outcome(scene) {
  const last = scene.data.interventions.at(-1);
  if (scene.isBefore) return said("This is the run as it was.");
  if (!last) return said(invitation(scene));
  const isSame = scene.shown.ids.join() === scene.before.ids.join();
  return isSame ? whySame(scene, last) : said(changedWords(scene.cells));
}

const said = (text, offer = null) => ({ text, offer });

function invitation(scene) {
  const { data, place, keys } = scene;
  if (isPulledKind(scene) && data.pull?.row === place.row)
    return `Drag the line of ${reader(scene)} to ${quoted(keys[data.pull.to])}, or press ${quoted(keys[data.pull.to])}.`;
  return `Drag a line of ${reader(scene)} to another word, or press that word.`;
}

/** Whether the kind in view is the one whose pull is offered.
 * @param {Scene} scene
 */
export const isPulledKind = ({ data, place }) =>
  place.kind === "cross-attention" || data.begin === "" || !data.sourceTokens.length;

function changedWords(cells) {
  const pairs = stretches(cells).map(([gone, fresh]) => {
    if (gone && fresh) return `${quoted(gone)} became ${quoted(fresh)}`;
    return gone ? `${quoted(gone)} is gone` : `${quoted(fresh)} is new`;
  });
  const more = pairs.length > 3 ? `, and ${pairs.length - 3} more` : "";
  return `${pairs.slice(0, 3).join(", ")}${more}.`;
}

// What stood there and what stands there now, for words beside each other together.
function stretches(cells) {
  const found = [];
  for (const [i, { ghost, token, isNew }] of cells.entries()) {
    if (!isNew) continue;
    if (!cells[i - 1]?.isNew) found.push([[], []]);
    const [gone, fresh] = found[found.length - 1];
    if (ghost) gone.push(ghost);
    if (token) fresh.push(token);
  }
  return found.map((pair) => pair.map((words) => words.join(" ")));
}

// Why the text is as it was. The place is that of the last change, whatever is in view.
function whySame(scene, last) {
  const place = placeOf(scene, last);
  const stays = `${isReader(scene) ? "its guesses stay" : "the text stays"}${chance(scene, place)}`;
  if (scene.data.given.length) return said(`The target is given: ${stays}.`);
  const isPart = last.head !== null || !last.name.includes(".*.");
  if (!["point", "cut"].includes(last.kind) || !last.rows) return said(`${capital(stays)}.`);
  const all = { ...place, scope: /** @type {const} */ ("all") };
  const [column] = last.columns;
  const verb = last.kind === "cut" ? "cut" : "pulled";
  if (isPart) {
    const others = otherWeights(scene.shown, place);
    const most = others.weights.indexOf(Math.max(...others.weights));
    const rest =
      others.count === 1 ? "The other head gives" : `The other ${others.count} heads give`;
    const text =
      `Only ${scopeWords(place)} ${last.head === null ? "were" : "was"} ${verb}. ${rest} ` +
      `${quoted(keyWord(scene, place, most))} ${percentText(others.weights[most])} of ` +
      `${others.count === 1 ? "its" : "their"} weight: ${stays}.`;
    const change = last.kind === "cut" ? cutAt(all, column) : pulledTo(all, column, last.amount);
    return said(text, {
      words: verb === "cut" ? "Cut it in all of them" : "Pull all of them",
      changes: [change],
    });
  }
  if (last.kind === "point" && last.amount < 1)
    return said(`At ${percentText(last.amount)} the old words still hold: ${stays}.`, {
      words: "Pull all the way",
      changes: [pulledTo(place, column)],
    });
  return said(`${nothingWords(place.kind, last.kind)}: ${stays}.`);
}

function nothingWords(kind, change) {
  if (change === "cut") return "The other lines of this row share what it had, and they are enough";
  if (kind === "cross-attention")
    return "Every head reads the other word now, but what is already written decides here";
  return "What this row reads decides no word";
}

// How sure the model is of the word that the row writes, before and now.
function chance(scene, { kind, row }) {
  const { shown, before } = scene;
  const isOfText = kind === "encoder self-attention" && !isReader(scene);
  if (isOfText || row >= shown.ids.length) return "";
  const [old, now] = [before.probabilities[row], shown.probabilities[row]].map(percentText);
  return old === now ? "" : ` (${quoted(shown.tokens[row])} ${old} → ${now})`;
}

/** Where a change acts.
 * @param {Scene} scene
 * @param {import("./wire").WireIntervention} made
 * @returns {import("./types").Place}
 */
export function placeOf({ place }, { name, head, rows }) {
  const [stack, , layer, attention] = name.split(".");
  const own = stack === "encoder" ? "encoder self-attention" : "decoder self-attention";
  const scope = layer === "*" ? "all" : head === null ? "layer" : "head";
  return {
    ...place,
    kind: attention === "cross_attn" ? "cross-attention" : own,
    scope,
    layer: layer === "*" ? place.layer : Number(layer),
    head: head ?? place.head,
    row: rows?.[0] ?? place.row,
  };
}

function keyWord({ data, shown }, { kind }, key) {
  if (kind === "decoder self-attention") return [data.begin, ...shown.tokens][key] ?? "";
  return data.sourceTokens[key] ?? "";
}

// Whether the model writes nothing, and what stands below is what it would put at each place.
const isReader = ({ data }) => data.begin === "";

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** What PyTorch says of it.
 * @param {number | null} difference null while it is not known
 */
export function checkWords(difference) {
  if (difference === null) return "";
  if (difference <= MOST_OFF)
    return `✓ Checked against PyTorch: largest difference of a logit ${differenceText(difference)}`;
  const far = Number.isFinite(difference) ? differenceText(difference) : "in its words";
  return `PyTorch’s numbers are shown: the browser’s differ (${far})`;
}
