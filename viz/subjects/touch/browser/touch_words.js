// The texts of Touch: what a pull did, why it did nothing, and what would help.

import { differenceText, percentText } from "../../../pictures/browser/numbers.js";
import { say } from "../../../pictures/browser/say.js";
import { cutAt, pulledTo } from "./touch_ask.js";
import { MOST_OFF, otherWeights } from "./touch_frames.js";

/** @typedef {import("./types").Scene} Scene */
/** @typedef {import("./types").Said} Said */

const MOST_NAMED = 3; // most changes of the text that are named

/** Describe a change while the hand moves.
 * @param {Scene} scene
 */
export function movingWords({ pulled, keys, reader, data }) {
  if (!pulled) return say("touch.painted", { reader });
  const { amount } = data.interventions.at(-1); // rounded, unlike `pulled.amount`
  return say("touch.pulled", { share: percentText(amount), reader, to: keys[pulled.to] });
}

/** Describe what the last change did.
 * @param {Scene} scene
 * @returns {Said}
 */
export function outcome(scene) {
  const last = scene.data.interventions.at(-1);
  if (scene.isBefore) return said(say("touch.as_it_was"));
  if (!last) return said(invitation(scene));
  const isSame = scene.shown.ids.join() === scene.before.ids.join();
  return isSame ? whySame(scene, last) : said(changedWords(scene.cells));
}

const said = (text, offer = null) => ({ text, offer });

function invitation(scene) {
  const { data, place, keys, reader } = scene;
  if (isPulledKind(scene) && data.pull?.row === place.row)
    return say("touch.drag_to", { reader, to: keys[data.pull.to] });
  return say("touch.drag", { reader });
}

/** Return whether the pull is offered for the kind in view.
 * @param {Scene} scene
 */
export const isPulledKind = ({ data, place }) =>
  place.kind === "cross-attention" || data.begin === "" || !data.sourceTokens.length;

function changedWords(cells) {
  const pairs = stretches(cells).map(([gone, fresh]) => {
    if (gone && fresh) return say("touch.became", { gone, fresh });
    return gone ? say("touch.gone", { gone }) : say("touch.new", { fresh });
  });
  const changes = pairs.slice(0, MOST_NAMED).join(", ");
  const count = pairs.length - MOST_NAMED;
  return count > 0
    ? say("touch.changed_more", { changes, count })
    : say("touch.changed", { changes });
}

// Return the old and the new words of each stretch of neighbouring words that changed.
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

// Say why the text did not change. The place is that of the last change, whatever is in view.
function whySame(scene, last) {
  const place = placeOf(scene, last);
  const stays = staysSaid(scene, place);
  if (scene.data.isGiven) return said(say("touch.given_stays", { stays }));
  const isPart = last.head !== null || !last.name.includes(".*.");
  if (!["point", "cut"].includes(last.kind) || !last.rows)
    return said(say("touch.only_that", { stays: capital(stays) }));
  if (isPart) return ofPart(scene, place, last, stays);
  if (last.kind === "point" && last.amount < 1)
    return said(say("touch.still_hold", { share: percentText(last.amount), stays }), {
      words: say("touch.pull_whole"),
      changes: [pulledTo(place, last.columns[0])],
    });
  return said(nothingWords(place.kind, last.kind, { stays }));
}

// Describe a change of some heads: what the other heads still read, and an offer to change all heads.
function ofPart(scene, place, last, stays) {
  const { count, weights } = otherWeights(scene.shown, place);
  const most = weights.indexOf(Math.max(...weights));
  const share = percentText(weights[most]);
  const rest = say("touch.others_give", { count, word: keyWord(scene, place, most), share, stays });
  const all = { ...place, scope: /** @type {const} */ ("all") };
  const [column] = last.columns;
  const isCut = last.kind === "cut";
  return said(`${onlyWords(place)} ${rest}`, {
    words: isCut ? say("touch.cut_all") : say("touch.pull_all"),
    changes: [isCut ? cutAt(all, column) : pulledTo(all, column, last.amount)],
  });
}

/** Name the heads that were held, if not all were.
 * @param {import("./types").Place} place
 */
function onlyWords({ scope, layer, head }) {
  return scope === "layer"
    ? say("touch.only_layer", { layer })
    : say("touch.only_head", { layer, head });
}

function nothingWords(kind, change, stays) {
  if (change === "cut") return say("touch.nothing_cut", stays);
  return kind === "cross-attention"
    ? say("touch.nothing_cross", stays)
    : say("touch.nothing_row", stays);
}

// Say that the words are the same, and how sure the model is of the word that the row writes, before and now.
function staysSaid(scene, place) {
  const odds = oddsOf(scene, place);
  if (isReader(scene))
    return odds ? say("touch.guesses_stay_odds", odds) : say("touch.guesses_stay");
  return odds ? say("touch.text_stays_odds", odds) : say("touch.text_stays");
}

// Return the word of a row with its old and new probability; null if there is none or the model is as sure as before.
function oddsOf(scene, { kind, row }) {
  const { shown, before } = scene;
  const isOfText = kind === "encoder self-attention" && !isReader(scene);
  if (isOfText || row >= shown.ids.length) return null;
  const [old, now] = [before.probabilities[row], shown.probabilities[row]].map(percentText);
  return old === now ? null : { word: shown.tokens[row], before: old, after: now };
}

/** Return where a change acts.
 * @param {Scene} scene
 * @param {import("../../../pictures/browser/wire").WireIntervention} made
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

// Return whether the model only reads; then the words below are its guesses at each position.
const isReader = ({ data }) => data.begin === "";

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** Describe PyTorch's check: a tick that explains itself when pointed at, or words if the check failed.
 * @param {number | null} difference null until it is known
 */
export function checkWords(difference) {
  if (difference === null) return { mark: "", words: "" };
  const named = { difference: differenceText(difference) };
  if (difference <= MOST_OFF) return { mark: "✓", words: say("touch.checked", named) };
  const words = Number.isFinite(difference)
    ? say("touch.differs", named)
    : say("touch.differs_in_words");
  return { mark: words, words };
}
