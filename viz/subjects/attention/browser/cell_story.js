// The steps of a cell in plain words: [name of the part, ...words], in which [token, role] and [number] are emphasized.

import { filled } from "../../../pictures/browser/filled.js";
import { numberText } from "../../../pictures/browser/numbers.js";
import { listed, say } from "../../../pictures/browser/say.js";
import { shareWords } from "./head_weights.js";

/** @typedef {import("./types").Cell} Cell */

/** Describe in words how a cell is computed.
 * @param {Cell} cell
 * @returns {(string | string[])[][]}
 */
export function storyLines(cell) {
  return [
    ["query", ...queryWords(cell)],
    ["key", ...keyWords(cell)],
    ["score", ...scoreWords(cell)],
    ["weight", ...weightWords(cell)],
    ...(Number.isNaN(cell.weight) ? [] : [["value", ...valueWords(cell)]]),
    ...(Number.isNaN(cell.weight) || !cell.output ? [] : [["output", ...outputWords(cell)]]),
  ];
}

const asked = ({ query }) => [query.token, "loupe-query"];
const answering = ({ key }) => [key.token, "loupe-key"];
/** @param {Cell} cell */
const isWriting = ({ name, reads }) => name.startsWith("decoder") && !reads;

/** Return whether a word reads itself, and not another word that is written the same way.
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

/** Say which other heads read the same keys and values.
 * @param {Cell} cell
 */
function sharedWords({ readers, head }) {
  const others = readers.filter((reader) => reader !== head);
  if (!others.length) return [];
  return [` ${say("attention.shared", { count: others.length, heads: listed(others) })}`];
}

/** Say that query and key are rotated by their positions.
 * @param {Cell} cell
 */
function turnedWords({ turned, query, key }) {
  if (!turned) return [];
  return [` ${say("attention.turned", { count: Math.abs(query.position - key.position) })}`];
}

/** @param {Cell} cell */
function scoreWords({ score }) {
  const [scaled, masked, bias] = [score.scaled, score.masked, score.bias].map((value) => [
    numberText(value ?? 0),
  ]);
  const parts = { score: scaled, masked, bias };
  if (score.isEdited) return filled(say("attention.score_edited"), parts);
  if (!score.isAllowed) return filled(say("attention.score_hidden"), parts);
  return filled(
    score.bias === null ? say("attention.score") : say("attention.score_biased"),
    parts,
  );
}

/** @param {Cell} cell */
function weightWords(cell) {
  const { row, weight } = cell;
  if (Number.isNaN(weight)) return [say("attention.no_numbers")];
  const rival = rivalOf(cell);
  const unread = { share: [shareWords({ weight: row.left })] };
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

/** Say how much of the row's weight the key gets.
 * @param {Cell} cell
 */
function sharedOut({ weight, score }) {
  if (!score.isAllowed && weight === 0) return [say("attention.gets_nothing")];
  return filled(say("attention.gets"), { share: [shareWords({ weight })] });
}

/** Return the key with the most weight; if that is the key in view, the second one.
 * @param {Cell} cell
 */
function rivalOf({ key, row }) {
  const found = row.keys.map((position, i) => ({
    position,
    token: row.tokens[i],
    weight: row.weights[i],
  }));
  const others = found.filter(({ position, weight }) => position !== key.position && weight > 0);
  return others.sort((a, b) => b.weight - a.weight)[0];
}

function rivalWords({ rank }, { token, weight }) {
  const parts = { token: [token, "loupe-key"], share: [shareWords({ weight })] };
  return filled(rank === 1 ? say("attention.rival_next") : say("attention.rival_most"), parts);
}

/** @param {Cell} cell */
function valueWords(cell) {
  const { weight } = cell;
  const parts = { key: answering(cell), part: [shareWords({ weight })] };
  const said = weight === 0 ? say("attention.value_none") : say("attention.value");
  return filled(said, parts);
}

/** @param {Cell} cell */
function outputWords({ head, output, query }) {
  const norms = Array.from(output.norms);
  const [count, fewer] = [norms.length - 1, norms.filter((norm) => norm < norms[head]).length];
  const parts = {
    count: String(count),
    fewer: String(fewer),
    token: [query.token, "loupe-query"],
  };
  const least = fewer ? say("attention.adds") : say("attention.adds_least");
  const among = fewer === count ? say("attention.adds_most") : least;
  return filled(count ? among : say("attention.adds_alone"), parts);
}
