// A person's first answer to each question, kept only in their browser.

const KEY = "loupe-lessons";
const LONGEST = 200_000;

/** @typedef {{guess: string, right: boolean, helped: boolean}} Answer
 * @typedef {{answers: Record<string, Record<string, Answer>>}} Results
 */

/** Read the stored answers. There are none if nothing is stored or the browser forbids storage.
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

/** Store the first answer to a question; later answers change nothing.
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

/** Return the questions whose first answer was wrong, as [lesson, part] pairs.
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
    return null; // the browser forbids storage
  }
}

function write(results, store) {
  try {
    store?.setItem(KEY, JSON.stringify(results));
  } catch {
    return; // storage is full or forbidden
  }
}

const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

// Keep valid entries only: lessons by name, with answers by number.
function plain(answers) {
  if (!isRecord(answers)) return {};
  const isAnswer = ([part, one]) =>
    /^\d{1,2}$/.test(part) && isRecord(one) && typeof one.right === "boolean";
  const kept = Object.entries(answers).filter(([, parts]) => isRecord(parts));
  return Object.fromEntries(
    kept.map(([name, parts]) => [name, Object.fromEntries(Object.entries(parts).filter(isAnswer))]),
  );
}
