// What a person answered, kept in their browser alone: the first answer to each question.

const KEY = "loupe-lessons";
const LONGEST = 200_000;

/** @typedef {{guess: string, right: boolean, helped: boolean}} Answer
 * @typedef {{answers: Record<string, Record<string, Answer>>}} Results
 */

/** Read what is kept; nothing where there is none, or the browser keeps nothing.
 * @param {Pick<Storage, "getItem">} [store]
 * @returns {Results}
 */
export function readResults(store = storage()) {
  try {
    const text = store?.getItem(KEY) ?? "";
    const { answers } = text.length > LONGEST ? {} : JSON.parse(text || "{}");
    return { answers: plain(answers) };
  } catch {
    return { answers: {} };
  }
}

/** Keep the first answer to a question; later ones change nothing.
 * @param {string} lesson
 * @param {number} part
 * @param {Answer} answer
 */
export function keepAnswer(lesson, part, answer, store = storage()) {
  const results = readResults(store);
  const known = Object.hasOwn(results.answers, lesson) ? results.answers[lesson] : {};
  if (Object.hasOwn(known, String(part))) return;
  write({ answers: { ...results.answers, [lesson]: { ...known, [part]: answer } } }, store);
}

export function forgetResults(store = storage()) {
  try {
    store?.removeItem(KEY);
  } catch {
    return;
  }
}

/** The questions whose first answer was wrong: [lesson, part] pairs.
 * @param {Results} results
 */
export function wronglyAnswered({ answers }) {
  return Object.entries(answers).flatMap(([lesson, parts]) =>
    Object.entries(parts)
      .filter(([, { right }]) => !right)
      .map(([part]) => /** @type {[string, number]} */ ([lesson, Number(part)])),
  );
}

function storage() {
  try {
    return window.localStorage;
  } catch {
    return null; // someone forbids it
  }
}

function write(results, store) {
  try {
    store?.setItem(KEY, JSON.stringify(results));
  } catch {
    return; // it is full, or forbidden
  }
}

const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

// Lessons by name, with answers by number: whatever else stands there is left out.
function plain(answers) {
  if (!isRecord(answers)) return {};
  const isAnswer = ([part, one]) =>
    /^\d{1,2}$/.test(part) && isRecord(one) && typeof one.right === "boolean";
  const kept = Object.entries(answers).filter(([, parts]) => isRecord(parts));
  return Object.fromEntries(
    kept.map(([name, parts]) => [name, Object.fromEntries(Object.entries(parts).filter(isAnswer))]),
  );
}
