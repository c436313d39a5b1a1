// Everything that the picture of Start says. A text is a list of parts: plain words, and words of the sentence.

import { equationTexts, numberText, percentText } from "../../../pictures/browser/numbers.js";
import { rowOf, scoreSteps, scoreText, strongest } from "./start_numbers.js";

/** @typedef {string | {token: string, role?: string, term?: string}} Part `term`: a key of the glossary */
/** @typedef {import("./wire").WireStart & {reading: import("./start_numbers.js").Reading}} Asked */

/** @type {[import("./wire").Scene, string][]} */
export const STAGES = [
  ["guess", "Guess"],
  ["query", "Ask"],
  ["scores", "Match"],
  ["softmax", "Share"],
  ["mix", "Mix"],
  ["answer", "Answer"],
];

const MOSTLY = 0.5;
const SECOND_SAID = 0.05;
const SAID_OF_ROW = 4;
const MATTERS = 0.05; // a change of a probability from which a head is said to do something

/** Put parts behind each other: said`${word} asks.`
 * @param {TemplateStringsArray} texts
 * @param {...(Part | Part[])} parts
 * @returns {Part[]}
 */
export function said(texts, ...parts) {
  return texts.flatMap((text, at) => [text, parts[at] ?? ""].flat()).filter((part) => part !== "");
}

/** A text without its marks.
 * @param {Part[]} parts
 */
export const plain = (parts) =>
  parts.map((part) => (typeof part === "string" ? part : part.token)).join("");

/** @param {Asked} asked */
function namesOf({ reading, query }) {
  const word = (at, role) => ({ token: reading.tokens[at], role });
  const [top, second] = strongest(reading.shares, 2);
  return { it: word(query, "query"), top, second, key: (at) => word(at, "key") };
}

/** @param {Asked} asked */
export function questionOf(asked) {
  const { it } = namesOf(asked);
  if (asked.candidates.length) return said`What does ${it} mean here?`;
  return said`Where does ${it} look?`;
}

/** What a stage says: a sentence, and the formula behind it.
 * @param {Asked} asked
 * @param {import("./wire").Scene} scene
 * @returns {{text: Part[], formula: Part[]}}
 */
export function stageOf(asked, scene) {
  return { guess, query, scores, softmax, mix, answer }[scene](asked);
}

function guess(asked) {
  const text = asked.candidates.length
    ? said`Take a guess, then watch the model.`
    : said`Tap the word that you think it reads most. Then watch.`;
  return { text, formula: [] };
}

function query(asked) {
  const { it } = namesOf(asked);
  const text = said`${it} asks the others: its ${{ token: "query", role: "query", term: "query" }}. Every word holds up what it has to offer: its ${{ token: "key", role: "key", term: "key" }}.`;
  const formula = said`${String(asked.sizes[0])} numbers each, drawn as colours (${{ token: "layer", term: "layer" }} ${String(asked.layer)}, ${{ token: "head", term: "head" }} ${String(asked.head)})`;
  return { text, formula };
}

function scores(asked) {
  const { reading, sizes } = asked;
  const { it, key } = namesOf(asked);
  const [best] = strongest(reading.scores, 1);
  const number = scoreText(reading.scores[best]);
  const text = said`${it} meets every key. The better they match, the higher the score: ${key(best)} answers loudest, ${number}.`;
  const steps = scoreSteps(reading, best);
  const formula = steps
    ? said`score = q · k / √${String(sizes[0])} = ${divisionText(steps)}`
    : said`score = ${numberText(reading.scores[best])}`;
  return { text, formula };
}

function divisionText({ product, root, score }) {
  const { operands, sign, result } = equationTexts([product, root], (a, b) => a / b, score);
  const [above, below] = operands.map((text) => text.replace(/\.0+$/, ""));
  return `${above} / ${below} ${sign} ${result}`;
}

function softmax(asked) {
  const { reading } = asked;
  const { top, second, key } = namesOf(asked);
  const rest =
    reading.shares[second] >= SECOND_SAID
      ? said`, ${key(second)} ${percentText(reading.shares[second])}`
      : [];
  const text = said`${{ token: "Softmax", term: "softmax" }} turns the scores into shares of one whole: ${key(top)} gets ${percentText(reading.shares[top])}${rest}.`;
  const formula = said`share = e^score / sum of all e^score`;
  return { text, formula };
}

function mix(asked) {
  const { reading } = asked;
  const { it, top, key } = namesOf(asked);
  const value = { token: "value", role: "value", term: "value" };
  const text =
    reading.shares[top] > MOSTLY
      ? said`Each word pours in its ${value}, as much as its share. What ${it} takes away is mostly ${key(top)}.`
      : said`Each word pours in its ${value}, as much as its share. What ${it} takes away has a bit of many words.`;
  const shown = strongest(reading.shares, 2, SECOND_SAID);
  const terms = shown.map((at) => `${percentText(reading.shares[at])} · v(${reading.tokens[at]})`);
  const more = shown.length < reading.tokens.length ? " + …" : "";
  return { text, formula: said`mix = ${terms.join(" + ")}${more}` };
}

function answer(asked) {
  return { text: [...verdict(asked), ...outcome(asked)], formula: effect(asked) };
}

// Whether the guess was what the head reads most, and what the data say.
function verdict(asked) {
  const { reading, guess: guessed } = asked;
  const { it, top, key } = namesOf(asked);
  if (reading.right !== null && top !== reading.right) {
    const share = percentText(reading.shares[reading.right]);
    return said`No single head points at ${key(reading.right)} here; this one comes closest, with ${share}. `;
  }
  if (guessed < 0) return said`${it} reads ${key(top)}. `;
  if (guessed === top) return said`Your guess, ${key(top)}, is what ${it} reads. `;
  return said`You said ${key(guessed)}; ${it} reads ${key(top)}. `;
}

function outcome({ reading, languages, query }) {
  const it = { token: reading.tokens[query], role: "query" };
  const target = languages[1];
  if (!reading.answer) return said`No ${target} word reads ${it} more than any other word.`;
  const word = { token: reading.written[reading.answer.at][1], role: "answer" };
  if (reading.given) return said`The ${target} word that reads ${it} most is ${word}.`;
  const gender = { m: "masculine", f: "feminine" }[reading.gender];
  const expected = { m: "il", f: "elle" }[reading.gender];
  const noun =
    reading.right === null ? null : { token: reading.tokens[reading.right], role: "key" };
  if (!noun) return said`The ${target} word that reads ${it} most is ${word}.`;
  if (word.token === expected)
    return said`${noun} is ${gender} in ${target}, and the model writes ${word}.`;
  return said`${noun} is ${gender} in ${target}, but the model writes ${word}: here it is wrong.`;
}

// What switching the head off does: for this reading, or for the other one where only there it does something.
function effect({ readings, reading, layer, head }) {
  const answered = readings.filter((one) => one.answer && !one.given);
  const change = ({ answer: { probability, without } }) => Math.abs(probability - without);
  const [most] = answered.sort((one, other) => change(other) - change(one));
  if (!most) return [];
  const shown = reading.answer && change(reading) >= MATTERS ? reading : most;
  const { at, probability, without } = shown.answer;
  const word = { token: shown.written[at][1], role: "answer" };
  const label =
    shown === reading || !shown.label ? "W" : `In the sentence with “${shown.label}”, w`;
  const after = said`ith this head (layer ${String(layer)}, head ${String(head)}) switched off, the chance of ${word} goes from ${percentText(probability)} to ${percentText(without)}${judged(probability, without)}`;
  return [`${label}${after[0]}`, ...after.slice(1)];
}

function judged(probability, without) {
  if (Math.abs(probability - without) < MATTERS) return ": here it hardly matters.";
  return without > probability ? ": here it stands in the way." : ".";
}

/** What one word reads, for people who do not see it.
 * @param {import("./start_numbers.js").Reading} reading
 * @param {number} at
 */
export function rowWords(reading, at) {
  const row = rowOf(reading, at);
  const read = strongest(row, SAID_OF_ROW, SECOND_SAID);
  const said = read.map((key) => `${percentText(row[key])} ${reading.tokens[key]}`).join(", ");
  return said || "no word in particular";
}

/** What the picture of a stage shows, for people who do not see it.
 * @param {Asked} asked
 * @param {import("./wire").Scene} scene
 */
export function summaryOf({ reading, query, candidates }, scene) {
  const word = reading.tokens[query];
  const { scores, tokens } = reading;
  if (scene === "guess")
    return candidates.length
      ? `Lines with question marks lead from ${word} to ${candidates.map((at) => tokens[at]).join(" and ")}.`
      : `A question mark stands over ${word}.`;
  if (scene === "query") return "Under each word its key; under the one that asks its query.";
  if (scene === "scores")
    return `Scores: ${strongest(scores, scores.length)
      .map((at) => `${tokens[at]} ${scoreText(scores[at])}`)
      .join(", ")}.`;
  const flows = scene === "mix" ? ", as streams into the mix" : "";
  return `${word} reads ${rowWords(reading, query)}${flows}.`;
}

/** What the button to the next stage says.
 * @param {import("./wire").Scene} scene
 * @param {boolean} hasGuess
 */
export function nextWords(scene, hasGuess) {
  if (scene === "guess") return hasGuess ? "Watch" : "Just show me";
  return scene === "answer" ? "Watch again" : "Next";
}

export const HONEST = "Attention weights are what this head reads, not all that the model does.";
export const CHECK = "Check every number";
export const SWITCH = "Now change one word:";
export const FOLLOW = "Touch another word of the sentence to see what that one reads.";
