// Which question is shown: the one about the sentence of Python's run or, while another one is typed, about that.

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

const MOVES = ["scene", "guess", "word"]; // what the reader does, which Python is told

/** What finds a question: see createAsking.
 * @typedef {object} Parts
 * @property {import("../../../pictures/browser/types").Loupe} loupe
 * @property {any} state
 * @property {ReturnType<typeof createMatters>} matters
 * @property {ReturnType<typeof createOwnModels>} models
 * @property {ReturnType<typeof createRequest>} request
 */

/** Follow Python and what is typed.
 * @param {Parts["loupe"]} loupe
 * @param {any} state
 * @param {{show(asked: any): void, tell(): void}} events
 */
export function createAsking(loupe, state, { show, tell }) {
  const matters = createMatters(() => follow());
  const models = createOwnModels(loupe, () => follow());
  const parts = { loupe, state, matters, models, request: createRequest(state) };

  /** Draw what is typed, or what Python sent; gives whether that is so. */
  const follow = () => {
    const { asked, sent } = state;
    if (!sent) return false;
    const answer = typedNow(loupe);
    const isTyped = Boolean(answer) && answer.text !== currentOf(sent).source;
    // Python has run another sentence, but what it knows of it is not here yet.
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
      // It begins anew with a sentence; with one that was typed the reader is on the way already.
      if (asked?.typed && isOther && MOVES.some((name) => data[name] !== asked[name])) tell();
      follow();
    },
  };
}

// The question about what Python ran, with the reader's place; null while something of it is not here.
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
  if (found.readings.includes(null)) return null; // its tensors are on their way
  state.chosen = { word, tokens };
  const guess = guessIn(place.guess, tokens.length);
  return { ...found, scene: place.scene, guess, word, typed: false, early: choice.early };
}

// Chooses among rows. While the browser's model is on its way, that is the sharpest; if the reader begins with it, it stays.
/** @param {Subject} subject @param {Parts["matters"]} matters */
function createChoice(state, subject, matters) {
  const { asked, number } = state;
  const isBegun =
    asked?.reading.source === subject.source && asked.early !== null && number > asked.early;
  const choice = {
    early: /** @type {number | null} */ (null), // the reader's last move when it was shown, if it may change
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

// The question about what is typed, with the reader's place.
/** @param {Parts} parts */
function askTyped({ loupe, state, matters }, answer) {
  const before = state.asked ?? { ...state.sent, reading: null };
  const isNew = before.reading?.source !== answer.text;
  if (isNew) state.playing = false;
  const { partOf = () => undefined } = loupe.part(createBar).vocabulary ?? {};
  const subject = typedSubject(loupe, partOf);
  const tokens = subject.run.tokens.source;
  const word = chosenIn(state, tokens);
  const asked = before.reading?.tokens[before.query]; // it stays so until it is known which row matters most
  const most = (rows) =>
    matters.mostOf(subject, rows, true) ??
    rows.find(({ query }) => tokens[query] === asked) ??
    rows[0];
  const found = questionOf([subject], 0, word, most);
  const guess = isNew ? -1 : before.guess;
  return { ...found, scene: before.scene, guess, word, typed: true, early: null };
}

// Where the word that the reader chose is among other tokens; -1 if it is none of them.
function chosenIn({ chosen: { word, tokens: before } }, tokens) {
  return nearestPlace(before[word], tokens, word);
}

const currentOf = ({ readings, current }) => readings[current];

// Where the reader is: an answer of Python's to an older move does not undo a newer one. In another sentence a guess was
// not made; a word of null is the one that was chosen, if it is there.
function newerPlace({ sent, asked, number }, isOfSentence) {
  if (!asked || sent.number >= number) return sent;
  return isOfSentence ? asked : { scene: asked.scene, guess: -1, word: null };
}

/** The question about one of some sentences, with a reading of each that is here; null while its row is not known.
 * @param {Subject[]} subjects
 * @param {number} current
 * @param {number} word position of the word that the reader chose; -1 of none
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

// The probability of what a step wrote with the head switched off: the browser's own, else Python's; null while it is on
// its way, and of a target that was given, of which it is not said.
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

// Asks Python once for what the browser lacks of the head of a question.
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
