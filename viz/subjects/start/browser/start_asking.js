// Which question stands: Python's, or while a sentence is typed that of the browser's own model.

import { createBar } from "../../../frame/browser/field.js";
import { nearestPlace, TYPED, typedNow } from "../../../pictures/browser/run.js";
import { guessIn } from "./start_motion.js";
import { readingOf } from "./start_numbers.js";
import { createOwn } from "./start_own.js";

const MOVES = ["scene", "guess", "word"]; // what the reader does, which Python is told

/** Follow Python and what is typed.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {any} state
 * @param {{show(asked: any): void, tell(): void}} events
 */
export function createAsking(loupe, state, { show, tell }) {
  const own = createOwn(() => follow());

  const showSent = () => {
    const { asked: before, sent } = state;
    const readings = sent.readings.map(readingOf);
    // Python's answer to an older move does not undo a newer one.
    const isOlder =
      before && sent.number < state.number && before.candidates.join() === sent.candidates.join();
    const kept = isOlder ? readings.find(({ source }) => source === before.reading.source) : null;
    const reading = kept ?? readings[sent.current];
    const { scene, guess, word } = isOlder ? before : sent;
    state.chosen = { word, tokens: reading.tokens };
    const guessed = guessIn(guess, reading.tokens.length);
    show({ ...sent, readings, reading, scene, guess: guessed, word, typed: false });
  };
  const chosenIn = (answer) => {
    const { word, tokens } = state.chosen;
    return nearestPlace(tokens[word], answer.read.tokens, word);
  };
  // Python has not asked it: of another sentence, or of a word that the reader chose, where there is no Python.
  const isOwn = (answer) => {
    const word = chosenIn(answer);
    return answer.text !== sourceOf(state.sent) || (word >= 0 && word !== state.sent.query);
  };
  const showOwn = (answer) => {
    const { asked: before, sent } = state;
    const isNew = before.reading.source !== answer.text;
    if (isNew) state.playing = false;
    const word = chosenIn(answer);
    const { partOf = () => undefined } = loupe.part(createBar).vocabulary ?? {};
    const found = own.ask(answer, loupe.traces.get(TYPED).model, partOf, {
      chosen: word,
      asked: before.reading.tokens[before.query],
    });
    const { scene, guess } = isNew ? { ...before, guess: -1 } : before;
    show({ ...sent, ...found, candidates: [], scene, guess, word, typed: true });
  };
  // Python has run what was typed, or another sentence is in view again, but its question is not here yet.
  const isComing = () =>
    state.sent.number < state.number ||
    loupe.run()?.tokens.source.join(" ") !== readingIn(state.sent).tokens.join(" ");
  /** Draw what is typed, or again what Python sent; gives whether that is so. */
  const follow = () => {
    const answer = typedNow(loupe);
    if (!state.asked) return false;
    if (answer && isOwn(answer)) {
      showOwn(answer);
      return true;
    }
    own.stop();
    if (!state.asked.typed) return false;
    if (!isComing()) showSent();
    return true;
  };
  return {
    follow,
    stop: own.stop,
    /** @param {import("./wire").WireStart} data */
    take(data) {
      const { asked, sent: before } = state;
      state.sent = data;
      state.number = Math.max(state.number, data.number);
      const isOther = before && sourceOf(before) !== sourceOf(data);
      // It begins anew with a sentence; with one that was typed the reader is on the way already.
      if (asked?.typed && isOther && MOVES.some((name) => data[name] !== asked[name])) tell();
      if (!follow()) showSent();
    },
  };
}

const readingIn = ({ readings, current }) => readings[current];
const sourceOf = (sent) => readingIn(sent).source;
