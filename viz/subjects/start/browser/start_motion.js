// The stages of Start, and how far each part has moved at a time within one. Nothing is drawn here.

import { clamp } from "../../../pictures/browser/elements.js";

/** @typedef {import("./wire").Scene} Scene */

/** @type {Scene[]} */
export const SCENES = ["guess", "query", "scores", "softmax", "mix", "answer"];

const MS = { guess: 1200, query: 2200, softmax: 2000, mix: 2600, answer: 2200 };
const [SCORES_LEAST, SCORES_EACH, SCORES_MOST] = [900, 240, 4200];
const WORDS_A_MINUTE = 200;
const BREATH_MS = 700; // between two stages that play by themselves

/** Return how long a stage moves, in milliseconds.
 * @param {Scene} scene
 * @param {number} count words of the sentence
 */
export function durationOf(scene, count) {
  if (scene !== "scores") return MS[scene];
  return Math.min(SCORES_MOST, SCORES_LEAST + SCORES_EACH * count);
}

/** Return how long a stage stays when stages play by themselves: until its words have been read, in milliseconds.
 * @param {Scene} scene
 * @param {number} count words of the sentence
 * @param {string} said
 */
export function stayOf(scene, count, said) {
  const words = said.split(/\s+/).filter(Boolean).length;
  return Math.max(durationOf(scene, count), (words / WORDS_A_MINUTE) * 60_000) + BREATH_MS;
}

/** Return the stage some steps away, or undefined.
 * @param {Scene} scene
 * @param {number} by
 * @returns {Scene | undefined}
 */
export function sceneAfter(scene, by) {
  return SCENES[SCENES.indexOf(scene) + by];
}

/** Return how much of its own motion one of several parts has done, if they start one after the other.
 * @param {number} time from 0 to 1, for all parts
 * @param {number} at
 * @param {number} count
 * @param {number} share of the time that each part takes
 */
export function staggered(time, at, count, share) {
  const start = count > 1 ? (at / (count - 1)) * (1 - share) : 0;
  return ease(between(time, start, start + share));
}

/** Return where the query is on its way along the words: a position from 0 on, often between two words.
 * @param {number} time
 * @param {number} count
 */
export function wayOf(time, count) {
  return Math.max(0, Math.min(time / 0.9, 1)) * (count - 1);
}

/** Return how far each part of the picture has come: 0 is hidden, 1 is done.
 * @param {Scene} scene
 * @param {number} time within the stage, from 0 to 1
 */
export function frameOf(scene, time) {
  const at = SCENES.indexOf(scene);
  const during = (name, from, to) => {
    const place = SCENES.indexOf(name);
    if (at !== place) return at > place ? 1 : 0;
    return ease(between(time, from, to));
  };
  return {
    asks: scene === "guess" ? ease(time) : 0,
    query: scene === "query" || scene === "scores" ? during("query", 0, 0.35) : 0,
    shares: during("softmax", 0, 0.8),
    streams: during("mix", 0.05, 0.7),
    mix: during("mix", 0.45, 1),
    arcs: scene === "answer" ? ease(between(time, 0, 0.5)) : 0,
    link: during("answer", 0.3, 0.8),
    word: during("answer", 0.7, 1),
  };
}

/** @param {number} value */
function ease(value) {
  return 1 - (1 - value) ** 3;
}

function between(value, from, to) {
  return Math.max(0, Math.min((value - from) / (to - from), 1));
}

/** Return the position that a link names if the sentence has it, else -1.
 * @param {number} guess
 * @param {number} count
 */
export function guessIn(guess, count) {
  return guess >= 0 && clamp(guess, count) === guess ? guess : -1;
}
