// The steps of a cell in plain words: [name of the part, ...words], where [token, role] and [number] are set apart.

import { numberText, percentText, unpacked } from "../../../pictures/browser/numbers.js";

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
    ...(cell.weight === "NaN" ? [] : [["output", ...outputWords(cell)]]),
  ];
}

/** Where the weight stands among those of its row.
 * @param {Cell} cell
 */
export function weightRank({ weight, rank, score, row }) {
  if (weight === "NaN") return "is no weight: see the softmax";
  if (!score.allowed && weight === "0") return "of the weight: the mask hides it";
  return `of the weight, ${rank === 1 ? "the most" : `number ${rank}`} of ${row.size} keys`;
}

const asked = ({ query }) => [query.token, "loupe-query"];
const answering = ({ key }) => [key.token, "loupe-key"];
const isWriting = ({ name }) => name.startsWith("decoder");

/** Whether a word reads itself, and not another that is written the same.
 * @param {Cell} cell
 */
function isItself({ name, query, key }) {
  return name.startsWith("encoder") && query.position === key.position;
}

/** @param {Cell} cell */
function queryWords(cell) {
  if (isWriting(cell)) return ["To write ", asked(cell), ", the model asks: what matters for it?"];
  return [asked(cell), " asks: what matters to me?"];
}

/** @param {Cell} cell */
function keyWords(cell) {
  return [answering(cell), isItself(cell) ? " answers itself" : " answers", ": this is what I am."];
}

/** @param {Cell} cell */
function scoreWords(cell) {
  const { score, row } = cell;
  if (score.edited) return ["An edit put ", [numberText(Number(score.scaled))], " in place of it."];
  const scaled = [numberText(Number(score.scaled))];
  const match = ["They match with ", scaled];
  if (!score.allowed) {
    const masked = [numberText(Number(score.masked))];
    return [...match, ", but the mask hides this token: it counts as ", masked, "."];
  }
  return [...match, row.size > 1 ? "; a higher score is closer." : "."];
}

/** @param {Cell} cell */
function weightWords(cell) {
  const { row, weight, score } = cell;
  if (weight === "NaN") return ["Nothing can be shared out: this row has no numbers."];
  const own = [percentText(Number(weight))];
  const isFree = row.keys.length === row.size && !row.hidden.length; // all are listed, none hidden
  const others = isFree ? `all ${row.size} tokens` : "the tokens that it may read";
  const begun =
    !score.allowed && weight === "0"
      ? ["So it gets nothing"]
      : ["Among ", others, " that is ", own];
  const rival = rivalOf(cell);
  return [...begun, ...(rival ? rivalWords(cell, rival) : []), "."];
}

/** The key with the most weight, or the second where that is the one in view.
 * @param {Cell} cell
 */
function rivalOf({ key, row }) {
  const weights = unpacked(row.weights);
  const listed = row.keys.map((position, i) => ({
    position,
    token: row.tokens[i],
    weight: weights[i],
  }));
  const others = listed.filter(({ position, weight }) => position !== key.position && weight > 0);
  return others.sort((a, b) => b.weight - a.weight)[0];
}

function rivalWords({ rank }, { token, weight }) {
  const named = [[token, "loupe-key"], " has ", [percentText(weight)]];
  return rank === 1 ? ["; next, ", ...named] : ["; most, ", ...named];
}

/** @param {Cell} cell */
function valueWords(cell) {
  const { weight, mix } = cell;
  if (weight === "0") return ["None of what ", answering(cell), " has to tell is carried over."];
  const part = [percentText(Number(weight))];
  const all = [percentText(Number(mix.share))];
  return [
    ...["So ", part, " of what "],
    answering(cell),
    " has to tell is carried over",
    ...(mix.share === "NaN" ? [] : [", ", all, " of all that comes"]),
    ".",
  ];
}

/** @param {Cell} cell */
function outputWords({ head, output, query }) {
  const norms = unpacked(output.norms);
  const place = 1 + norms.filter((norm) => norm > norms[head]).length;
  const among = place === 1 ? "the most" : place === norms.length ? "the least" : `number ${place}`;
  const into = [" to ", [query.token, "loupe-query"], "."];
  if (norms.length === 1) return ["This one head adds it", ...into];
  return [`Of ${norms.length} heads, this one adds ${among}`, ...into];
}
