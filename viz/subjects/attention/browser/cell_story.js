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

const LEAST_PLAIN = 1e-3; // below it a weight has a power of ten, which many cannot read

/** How large the weight is, and where it stands among those of its row.
 * @param {Cell} cell
 */
export function weightSaid({ weight, rank, score, row }) {
  const value = Number(weight);
  const exact = [numberText(value)];
  if (weight === "NaN") return [exact, " is no weight: see the softmax"];
  if (!score.allowed && weight === "0") return [exact, " of the weight: the mask hides it"];
  const place = `, ${most(rank)} of ${row.size} keys`;
  if (value > 0 && value < LEAST_PLAIN)
    return ["Less than 0.1 % of the weight (", exact, `)${place}`];
  return [exact, ` of the weight${place}`];
}

const ORDINALS = ["", "second ", "third ", "fourth ", "fifth ", "sixth ", "seventh ", "eighth "];

/** The most, the second most, the 21st most.
 * @param {number} place From 1.
 */
function most(place) {
  if (place <= ORDINALS.length) return `the ${ORDINALS[place - 1]}most`;
  const isTeen = Math.floor(place / 10) % 10 === 1;
  const ending = (isTeen ? "" : ["", "st", "nd", "rd"][place % 10]) || "th";
  return `the ${place}${ending} most`;
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
  if (isWriting(cell)) return ["To write ", asked(cell), ", the model asks: what matters for it?"];
  return [asked(cell), " asks: what matters to me?"];
}

/** @param {Cell} cell */
function keyWords(cell) {
  const answers = isItself(cell) ? " answers itself" : " answers";
  return [
    answering(cell),
    answers,
    ": this is what I am.",
    ...sharedWords(cell),
    ...turnedWords(cell),
  ];
}

/** Which other heads read the same keys and values.
 * @param {Cell} cell
 */
function sharedWords({ shared, head }) {
  if (!shared) return [];
  const others = shared.readers.filter((reader) => reader !== head);
  return [
    ` ${others.length === 1 ? "Head" : "Heads"} ${listed(others)} read${others.length === 1 ? "s" : ""} the same keys and values.`,
  ];
}

const listed = (numbers) =>
  numbers.length < 2
    ? String(numbers[0])
    : `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;

/** That what is asked and answered is turned by its place.
 * @param {Cell} cell
 */
function turnedWords({ turned, query, key }) {
  if (!turned) return [];
  const distance = Math.abs(query.position - key.position);
  const far =
    distance === 0
      ? "that they stand in one place"
      : `that they are ${distance} ${distance === 1 ? "place" : "places"} apart`;
  return [
    ` Both are turned by their places, ${query.position} and ${key.position}: of these only ${far} counts.`,
  ];
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
  const better = row.size > 1 ? "; a higher score is a better match." : ".";
  if (score.bias === undefined) return [...match, better];
  const bias = Number(score.bias);
  const fall = [numberText(bias)];
  return [...match, ", of which ", fall, " is for their distance", better];
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
  const unread = row.left
    ? ["; ", [percentText(Number(row.left))], " of the row reads nothing"]
    : [];
  return [...begun, ...(rival ? rivalWords(cell, rival) : []), ...unread, "."];
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
  if (weight === "0") return ["The head takes nothing of what ", answering(cell), " has to tell."];
  const part = [percentText(Number(weight))];
  const all = [percentText(Number(mix.share))];
  return [
    ...["So the head takes ", part, " of what "],
    answering(cell),
    " has to tell",
    ...(mix.share === "NaN" ? [] : ["; of all that it takes in, that is ", all]),
    ".",
  ];
}

/** @param {Cell} cell */
function outputWords({ head, output, query }) {
  const norms = unpacked(output.norms);
  const place = 1 + norms.filter((norm) => norm > norms[head]).length;
  const among = place === 1 ? "most" : place === norms.length ? "least" : most(place);
  const into = [" to ", [query.token, "loupe-query"], "."];
  if (norms.length === 1) return ["This one head adds it", ...into];
  return [`Of the ${norms.length} heads, this one adds ${among}`, ...into];
}
