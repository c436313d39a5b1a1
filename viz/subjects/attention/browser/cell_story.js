// The steps of a cell in plain words: [name of the part, ...words], where [token, role] and [number] are set apart.

import { filled } from "../../../pictures/browser/filled.js";
import { numberText, percentText, unpacked } from "../../../pictures/browser/numbers.js";
import { listed, say, sayOf } from "../../../pictures/browser/say.js";

/** @typedef {import("./wire").WireCell} Cell */

/** Tell how a cell comes about.
 * @param {Cell} cell
 * @returns {(string | string[])[][]}
 */
export function storyLines(cell) {
  return [
    ["query", ...queryWords(cell)],
    ["key", ...keyWords(cell)],
    ["score", ...scoreWords(cell)],
    ["weight", ...weightWords(cell)],
    ...(cell.weight === "NaN" ? [] : [["value", ...valueWords(cell)]]),
    ...(cell.weight === "NaN" || !cell.output ? [] : [["output", ...outputWords(cell)]]),
  ];
}

const LEAST_PLAIN = 1e-3; // below it a weight has a power of ten, which many cannot read

/** How large the weight is, and where it stands among those of its row.
 * @param {Cell} cell
 */
export function weightSaid({ weight, rank, score, row }) {
  const value = Number(weight);
  // Of those that may be read: what a mask hides is no rival.
  const keys = score.allowed && rank <= row.open ? row.open : row.size;
  const parts = { weight: [numberText(value)], size: String(keys), place: ordinal(rank) };
  const isFirst = rank === 1;
  if (weight === "NaN") return filled(say("attention.weight_nan"), parts);
  if (!score.allowed && weight === "0") return filled(say("attention.weight_hidden"), parts);
  const isTiny = value > 0 && value < LEAST_PLAIN;
  if (isTiny)
    return filled(isFirst ? say("attention.tiny_first") : say("attention.tiny_place"), parts);
  return filled(isFirst ? say("attention.weight_first") : say("attention.weight_place"), parts);
}

const NAMED = 8; // places up to which each has a word of its own

/** A place in an order: second, third, 21st.
 * @param {number} place from 2
 */
function ordinal(place) {
  if (place > 1 && place <= NAMED) return sayOf("attention.ordinal", String(place));
  const isTeen = Math.floor(place / 10) % 10 === 1;
  const ending = (isTeen ? "" : ["", "st", "nd", "rd"][place % 10]) || "th";
  return sayOf("attention.ordinal", ending, { number: place });
}

const asked = ({ query }) => [query.token, "loupe-query"];
const answering = ({ key }) => [key.token, "loupe-key"];
/** @param {Cell} cell */
const isWriting = ({ name, reads }) => name.startsWith("decoder") && !reads;

/** Whether a word reads itself, and not another that is written the same.
 * @param {Cell} cell
 */
function isItself({ name, query, key, reads }) {
  return (name.startsWith("encoder") || reads) && query.position === key.position;
}

/** @param {Cell} cell */
function queryWords(cell) {
  const said = isWriting(cell) ? say("attention.asks_writing") : say("attention.asks");
  return filled(said, { query: asked(cell) });
}

/** @param {Cell} cell */
function keyWords(cell) {
  const said = isItself(cell) ? say("attention.answers_itself") : say("attention.answers");
  return [...filled(said, { key: answering(cell) }), ...sharedWords(cell), ...turnedWords(cell)];
}

/** Which other heads read the same keys and values.
 * @param {Cell} cell
 */
function sharedWords({ shared, head }) {
  if (!shared) return [];
  const others = shared.readers.filter((reader) => reader !== head);
  return [` ${say("attention.shared", { count: others.length, heads: listed(others) })}`];
}

/** That what is asked and answered is turned by its place.
 * @param {Cell} cell
 */
function turnedWords({ turned, query, key }) {
  if (!turned) return [];
  const places = { query: query.position, key: key.position };
  const count = Math.abs(query.position - key.position);
  const said = count
    ? say("attention.turned", { ...places, count })
    : say("attention.turned_one_place", places);
  return [` ${said}`];
}

/** @param {Cell} cell */
function scoreWords(cell) {
  const { score, row } = cell;
  const [scaled, masked, bias] = [score.scaled, score.masked, score.bias].map((value) => [
    numberText(Number(value)),
  ]);
  const parts = { score: scaled, masked, bias };
  if (score.edited) return filled(say("attention.score_edited"), parts);
  if (!score.allowed) return filled(say("attention.score_hidden"), parts);
  const isAlone = row.size === 1;
  if (score.bias === undefined)
    return filled(isAlone ? say("attention.score_alone") : say("attention.score"), parts);
  return filled(
    isAlone ? say("attention.score_biased_alone") : say("attention.score_biased"),
    parts,
  );
}

/** @param {Cell} cell */
function weightWords(cell) {
  const { row, weight } = cell;
  if (weight === "NaN") return [say("attention.no_numbers")];
  const rival = rivalOf(cell);
  const unread = { share: [percentText(Number(row.left))] };
  const clauses = [
    sharedOut(cell),
    ...(rival ? [rivalWords(cell, rival)] : []),
    ...(row.left ? [filled(say("attention.row_unread"), unread)] : []),
  ];
  const all = clauses.reduce((first, more) =>
    filled(say("attention.clauses"), { first, more }).flat(),
  );
  return [...all, "."];
}

/** What the key gets of what is shared out.
 * @param {Cell} cell
 */
function sharedOut({ row, weight, score }) {
  if (!score.allowed && weight === "0") return [say("attention.gets_nothing")];
  const parts = { size: String(row.size), share: [percentText(Number(weight))] };
  const isFree = row.keys.length === row.size && !row.hidden.length; // all are listed, none hidden
  return filled(isFree ? say("attention.gets_of_all") : say("attention.gets_of_free"), parts);
}

/** The key with the most weight, or the second where that is the one in view.
 * @param {Cell} cell
 */
function rivalOf({ key, row }) {
  const weights = unpacked(row.weights);
  const found = row.keys.map((position, i) => ({
    position,
    token: row.tokens[i],
    weight: weights[i],
  }));
  const others = found.filter(({ position, weight }) => position !== key.position && weight > 0);
  return others.sort((a, b) => b.weight - a.weight)[0];
}

function rivalWords({ rank }, { token, weight }) {
  const parts = { token: [token, "loupe-key"], share: [percentText(weight)] };
  return filled(rank === 1 ? say("attention.rival_next") : say("attention.rival_most"), parts);
}

/** @param {Cell} cell */
function valueWords(cell) {
  const { weight, mix } = cell;
  const parts = {
    key: answering(cell),
    part: [percentText(Number(weight))],
    all: [percentText(Number(mix.share))],
  };
  if (weight === "0") return filled(say("attention.value_none"), parts);
  const isAlone = mix.share === "NaN";
  return filled(isAlone ? say("attention.value_alone") : say("attention.value"), parts);
}

/** @param {Cell} cell */
function outputWords({ head, output, query }) {
  const norms = unpacked(output.norms);
  const place = 1 + norms.filter((norm) => norm > norms[head]).length;
  const parts = {
    count: String(norms.length),
    place: ordinal(place),
    token: [query.token, "loupe-query"],
  };
  if (norms.length === 1) return filled(say("attention.adds_alone"), parts);
  if (place === 1) return filled(say("attention.adds_most"), parts);
  if (place === norms.length) return filled(say("attention.adds_least"), parts);
  return filled(say("attention.adds_place"), parts);
}
