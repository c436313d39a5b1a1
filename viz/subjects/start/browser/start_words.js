// All texts of the picture of Start. A text is a list of parts: plain words, and words of the sentence.

import { filled } from "../../../pictures/browser/filled.js";
import { equationTexts, numberText, percentText } from "../../../pictures/browser/numbers.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { rowOf, scoreSteps, scoreText, strongest } from "./start_numbers.js";

/** @typedef {string | {token: string, role?: string, term?: string, lesson?: string}} Part `term`: a key of the glossary; `lesson`: its name */
/** A question, its readings, and where the reader is. `jobs`: a sentence on the head; `current`: the reading in view.
 * @typedef {import("./question.js").Row & {reading: Reading, readings: Reading[], current: number, candidates: number[],
 *   sizes: number[], languages: [string, string], scene: import("./wire").Scene, guess: number, word: number,
 *   jobs?: string}} Asked
 */
/** @typedef {import("./reading.js").Reading} Reading */

const MOSTLY = 0.5;
const SECOND_SAID = 0.05;
const SAID_OF_ROW = 4;
const MATTERS = 0.05; // smallest change of a probability that counts as an effect of a head

/** Fill the gaps of a text with its parts.
 * @param {string} text
 * @param {Record<string, Part>} parts
 * @returns {Part[]}
 */
const told = (text, parts = {}) => filled(text, parts);

/** Return a text without its marks.
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
  return told(
    asked.candidates.length ? say("start.question_meaning") : say("start.question_look"),
    { it },
  );
}

/** Return the text of a stage: a sentence, and the formula behind it.
 * @param {Asked} asked
 * @param {import("./wire").Scene} scene
 * @returns {{text: Part[], formula: Part[]}}
 */
export function stageOf(asked, scene) {
  return { guess, query, scores, softmax, mix, answer }[scene](asked);
}

function guess(asked) {
  const text = asked.candidates.length ? say("start.guess_choices") : say("start.guess_tap");
  return { text: told(text), formula: [] };
}

function query(asked) {
  const { it } = namesOf(asked);
  const text = told(say("start.query"), {
    it,
    query: { token: say("start.query_word"), role: "query", term: "query" },
    key: { token: say("start.key_word"), role: "key", term: "key" },
  });
  const formula = told(say("start.query_formula"), {
    size: String(asked.sizes[0]),
    layer_word: { token: say("start.layer_word"), term: "layer" },
    layer: String(asked.layer),
    head_word: { token: say("start.head_word"), term: "head" },
    head: String(asked.head),
  });
  return { text, formula };
}

function scores(asked) {
  const { reading, sizes } = asked;
  const { it, key } = namesOf(asked);
  const [best] = strongest(reading.scores, 1);
  const score = scoreText(reading.scores[best]);
  const text = told(say("start.scores"), { it, best: key(best), score });
  const steps = scoreSteps(reading, best);
  const root = { token: `√${sizes[0]}`, lesson: "square-root" };
  const formula = steps
    ? told(say("start.score_formula"), { root, division: divisionText(steps) })
    : told(say("start.score_alone"), { score: numberText(reading.scores[best]) });
  return { text, formula };
}

function divisionText({ product, root, score }) {
  const { operands, sign, result } = equationTexts([product, root], (a, b) => a / b, score);
  const [above, below] = operands.map((text) => text.replace(/[.,]0+$/, ""));
  return `${above} / ${below} ${sign} ${result}`;
}

function softmax(asked) {
  const { shares } = asked.reading;
  const { top, second, key } = namesOf(asked);
  const parts = {
    softmax: { token: say("start.softmax_word"), term: "softmax" },
    top: key(top),
    share: percentText(shares[top]),
  };
  const text =
    shares[second] >= SECOND_SAID
      ? told(say("start.softmax_two"), {
          ...parts,
          second: key(second),
          other: percentText(shares[second]),
        })
      : told(say("start.softmax"), parts);
  return { text, formula: [say("start.softmax_formula")] };
}

function mix(asked) {
  const { reading } = asked;
  const { it, top, key } = namesOf(asked);
  const value = { token: say("start.value_word"), role: "value", term: "value" };
  const isMostly = reading.shares[top] > MOSTLY;
  const text = isMostly
    ? told(say("start.mix_mostly"), { value, it, top: key(top) })
    : told(say("start.mix_many"), { value, it });
  const shown = strongest(reading.shares, 2, SECOND_SAID);
  const terms = shown.map((at) => `${percentText(reading.shares[at])} · v(${reading.tokens[at]})`);
  if (shown.length < reading.tokens.length) terms.push("…");
  return { text, formula: [say("start.mix_formula", { terms: terms.join(" + ") })] };
}

function answer(asked) {
  return { text: [...verdict(asked), " ", ...outcome(asked)], formula: effect(asked) };
}

// Say whether the guess was what the head reads most, and what the data say.
function verdict(asked) {
  const { reading, guess: guessed } = asked;
  const { it, top, key } = namesOf(asked);
  if (reading.right !== null && top !== reading.right)
    return told(say("start.verdict_missed"), {
      right: key(reading.right),
      share: percentText(reading.shares[reading.right]),
    });
  if (guessed < 0) return told(say("start.verdict"), { it, top: key(top) });
  if (guessed === top) return told(say("start.verdict_right"), { it, top: key(top) });
  return told(say("start.verdict_wrong"), { guess: key(guessed), it, top: key(top) });
}

function outcome({ reading, languages, query }) {
  const it = { token: reading.tokens[query], role: "query" };
  const target = languages[1];
  if (!reading.answer) return told(say("start.outcome_none"), { target, it });
  const word = { token: reading.written[reading.answer.at][1], role: "answer" };
  if (reading.given || reading.right === null)
    return told(say("start.outcome"), { target, it, word });
  const expected = { m: "il", f: "elle" }[reading.gender];
  const noun = { token: reading.tokens[reading.right], role: "key" };
  const said = word.token === expected ? say("start.right") : say("start.wrong");
  return told(said, { noun, word, gender: sayOf("start.gender", reading.gender) });
}

// Say what switching the head off does: in this reading, or in the other one if only that one changes.
function effect({ readings, reading, layer, head }) {
  const answered = readings.filter((one) => one.answer && !one.given);
  if (answered.some((one) => one.answer.without === null)) return told(say("start.effect_coming"));
  const change = ({ answer: { probability, without } }) => Math.abs(probability - without);
  const [most] = answered.sort((one, other) => change(other) - change(one));
  if (!most) return [];
  const isAnswered = answered.includes(reading);
  const isElsewhere = change(most) >= MATTERS && !(isAnswered && change(reading) >= MATTERS);
  if (!isElsewhere && !isAnswered) return [];
  const shown = isElsewhere ? most : reading;
  const { at, probability, without } = shown.answer;
  const parts = {
    layer: String(layer),
    head: String(head),
    word: { token: shown.written[at][1], role: "answer" },
    before: percentText(probability),
    after: percentText(without),
  };
  const sort = judged(probability, without);
  if (!isElsewhere || !shown.label) return told(sayOf("start.effect", sort), parts);
  const { label } = shown;
  if (!isAnswered) return told(sayOf("start.effect_in", sort), { ...parts, label });
  const here = { token: reading.written[reading.answer.at][1], role: "answer" };
  return told(sayOf("start.effect_other", sort), { ...parts, label, here });
}

function judged(probability, without) {
  if (Math.abs(probability - without) < MATTERS) return "hardly";
  return without > probability ? "against" : "matters";
}

/** Say what one word reads, for people who do not see the picture.
 * @param {import("./reading.js").Reading} reading
 * @param {number} at
 */
export function rowWords(reading, at) {
  const row = rowOf(reading, at);
  const read = strongest(row, SAID_OF_ROW, SECOND_SAID);
  const words = read.map((key) => `${percentText(row[key])} ${reading.tokens[key]}`).join(", ");
  return words || say("start.reads_none");
}

/** Describe the picture of a stage, for people who do not see it.
 * @param {Asked} asked
 * @param {import("./wire").Scene} scene
 */
export function summaryOf({ reading, query, candidates }, scene) {
  const word = reading.tokens[query];
  const { scores, tokens } = reading;
  if (scene === "guess") {
    const [first, last] = candidates.map((at) => tokens[at]);
    return candidates.length
      ? say("start.seen_choices", { word, nouns: say("list.and", { first, last }) })
      : say("start.seen_question", { word });
  }
  if (scene === "query") return say("start.seen_query");
  if (scene === "scores") {
    const named = strongest(scores, scores.length).map(
      (at) => `${tokens[at]} ${scoreText(scores[at])}`,
    );
    return say("start.seen_scores", { scores: named.join(", ") });
  }
  const row = rowWords(reading, query);
  return scene === "mix"
    ? say("start.seen_mix", { word, row })
    : say("start.seen_row", { word, row });
}

/** Return the label of the button to the next stage.
 * @param {import("./wire").Scene} scene
 * @param {boolean} hasGuess
 */
export function nextWords(scene, hasGuess) {
  if (scene === "guess") return sayOf("start.next", hasGuess ? "watch" : "show");
  return sayOf("start.next", scene === "answer" ? "drag" : "next");
}
