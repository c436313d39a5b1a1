// Decides which question is shown: about the sentence that Python ran or, while another one is typed, about that one.

import { createBar } from "../../../frame/browser/field.js";
import { nearestPlace, typedNow } from "../../../pictures/browser/run.js";
import { probabilityWithout } from "./effect.js";
import { createMatters } from "./matters.js";
import { isSameRow, rowOfMeaning, rowsToAsk } from "./question.js";
import { readingOf } from "./reading.js";
import { guessIn } from "./start_motion.js";
import { createOwnModels, sentSubject, typedSubject } from "./subject.js";

/** @typedef {import("./subject.js").Subject} Subject */
/** @typedef {import("./question.js").Row} Row */

const MOVES = ["scene", "guess", "word"]; // the reader's moves, of which Python is told

/** The parts that find a question: see createAsking.
 * @typedef {object} Parts
 * @property {import("../../../pictures/browser/types").Loupe} loupe
 * @property {any} state
 * @property {ReturnType<typeof createMatters>} matters
 * @property {ReturnType<typeof createOwnModels>} models
 * @property {ReturnType<typeof createRequest>} request
 */

/** Follow what Python sends and what the reader types.
 * @param {Parts["loupe"]} loupe
 * @param {any} state
 * @param {{show(asked: any): void, tell(): void}} events
 */
export function createAsking(loupe, state, { show, tell }) {
  const matters = createMatters(() => follow());
  const models = createOwnModels(loupe, () => follow());
  const parts = { loupe, state, matters, models, request: createRequest(state) };

  /** Draw the question about what is typed or what Python sent; return whether a question is shown. */
  const follow = () => {
    const { asked, sent } = state;
    if (!sent) return false;
    const answer = typedNow(loupe);
    const isTyped = Boolean(answer) && answer.text !== currentOf(sent).source;
    // Python has run another sentence, but its facts have not arrived.
    const isComing = !answer && loupe.selection?.run !== currentOf(sent).run;
    if (isComing) return Boolean(asked?.typed);
    const found = isTyped ? askTyped(parts, answer) : askSent(parts);
    if (found) show(found);
    return Boolean(found);
  };
  return {
    follow,
    stop: matters.stop,
    /** @param {import("./wire").WireStart} data */
    take(data) {
      const { asked, sent: before } = state;
      state.sent = data;
      state.number = Math.max(state.number, data.number);
      const isOther = before && currentOf(before).source !== currentOf(data).source;
      // Python begins at the first stage of a new sentence, but in a typed one the reader may be further already.
      if (asked?.typed && isOther && MOVES.some((name) => data[name] !== asked[name])) tell();
      follow();
    },
  };
}

// Return the question about what Python ran, at the reader's place; null until all of it has arrived.
/** @param {Parts} parts */
function askSent({ loupe, state, matters, models, request }) {
  const { asked: before, sent } = state;
  const subjects = sent.readings.map((reading) => sentSubject(loupe, reading, models));
  if (subjects.includes(null)) return null;
  const shown = subjects.findIndex(({ source }) => source === before?.reading.source);
  const place = newerPlace(state, shown >= 0);
  const current = place === before ? shown : sent.current;
  const tokens = subjects[current].run.tokens.source;
  const word = place.word ?? chosenIn(state, tokens);
  const choice = createChoice(state, subjects[current], matters);
  const found = questionOf(subjects, current, word, choice.most);
  if (!found) return null;
  request(sent, subjects, found);
  if (found.readings.includes(null)) return null; // its tensors have not arrived
  state.chosen = { word, tokens };
  const guess = guessIn(place.guess, tokens.length);
  return { ...found, scene: place.scene, guess, word, typed: false, early: choice.early };
}

// Choose among rows. Until the browser's model arrives, the sharpest row is shown; if the reader acts on it, it stays.
/** @param {Subject} subject @param {Parts["matters"]} matters */
function createChoice(state, subject, matters) {
  const { asked, number } = state;
  const isBegun =
    asked?.reading.source === subject.source && asked.early !== null && number > asked.early;
  const choice = {
    early: /** @type {number | null} */ (null), // the reader's last move when an early row was shown
    /** @param {Row[]} rows */
    most(rows) {
      const begun = isBegun ? rows.find((row) => isSameRow(row, asked)) : undefined;
      const row = begun ?? matters.mostOf(subject, rows, false);
      if (begun) choice.early = asked.early;
      else if (!row && !subject.made.model) choice.early = number;
      return row ?? (subject.made.model ? undefined : rows[0]);
    },
  };
  return choice;
}

// Return the question about what is typed, at the reader's place.
/** @param {Parts} parts */
function askTyped({ loupe, state, matters }, answer) {
  const before = state.asked ?? { ...state.sent, reading: null };
  const isNew = before.reading?.source !== answer.text;
  if (isNew) state.playing = false;
  const { partOf = () => undefined } = loupe.part(createBar).vocabulary ?? {};
  const subject = typedSubject(loupe, partOf);
  const tokens = subject.run.tokens.source;
  const word = chosenIn(state, tokens);
  const asked = before.reading?.tokens[before.query]; // stays the same until it is known which row matters most
  const most = (rows) =>
    matters.mostOf(subject, rows, true) ??
    rows.find(({ query }) => tokens[query] === asked) ??
    rows[0];
  const found = questionOf([subject], 0, word, most);
  const guess = isNew ? -1 : before.guess;
  return { ...found, scene: before.scene, guess, word, typed: true, early: null };
}

// Return the position of the reader's chosen word among other tokens; -1 if it is not there.
function chosenIn({ chosen: { word, tokens: before } }, tokens) {
  return nearestPlace(before[word], tokens, word);
}

const currentOf = ({ readings, current }) => readings[current];

// Return where the reader is. Python's answer to an older move does not undo a newer one. A guess is for one sentence,
// so another sentence begins without one; `word: null` stands for the chosen word, if the sentence has it.
function newerPlace({ sent, asked, number }, isOfSentence) {
  if (!asked || sent.number >= number) return sent;
  return isOfSentence ? asked : { scene: asked.scene, guess: -1, word: null };
}

/** Return the question about one of some sentences, each with its reading (null until it arrives); null without a row.
 * @param {Subject[]} subjects
 * @param {number} current
 * @param {number} word position of the word that the reader chose; -1 for none
 * @param {(rows: Row[]) => Row | undefined} most chooses among rows
 */
export function questionOf(subjects, current, word, most) {
  const own = subjects[current];
  const meant = rowOfMeaning(subjects, current, word);
  const row = meant ?? most(rowsToAsk(own, word));
  if (!row) return null;
  const { layer, head, query } = row;
  const readings = subjects.map((subject) =>
    readingOf(subject, row, Boolean(meant), (step) => withoutOf(subject, row, step)),
  );
  const reading = readings[current];
  return {
    ...{ layer, head, query, readings, reading, current },
    candidates: meant ? own.meaning.candidates : [],
    sizes: reading && [reading.q.length, reading.mix.length],
    languages: own.run.languages,
  };
}

const computed = new WeakMap(); // run -> probabilities by head and step

// Return the probability of what a step wrote with the head switched off, from the browser's model or else from Python.
// It is null until it arrives, and for a given target, for which it is not shown.
function withoutOf({ run, made, without }, row, step) {
  if (run.told.given) return null;
  if (!made?.model) {
    const isOfHead = without?.layer === row.layer && without.head === row.head;
    return isOfHead ? without.probabilities[step] : null;
  }
  if (!computed.has(run)) computed.set(run, new Map());
  const known = computed.get(run);
  const name = `${row.layer} ${row.head} ${step}`;
  if (!known.has(name)) known.set(name, probabilityWithout(made, row, step));
  return known.get(name);
}

// Ask Python once for what the browser lacks about the head of a question.
function createRequest(state) {
  let wanted = "";
  return (sent, subjects, { layer, head, readings }) => {
    const lacks = subjects.some(({ made, run }, at) => {
      const isEffect = !made && !run.told.given && readings[at]?.answer?.without === null;
      return isEffect || !readings[at];
    });
    const { run } = currentOf(sent);
    const name = `${run} ${layer} ${head}`;
    if (!lacks || name === wanted) return;
    wanted = name;
    state.trigger("head", { run, layer, head });
  };
}
