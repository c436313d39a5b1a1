// A question about the view: whether it waits for an answer, and the outlines of the guess and of the true answer.

/** Return whether a question about the current run is waiting for its answer.
 * @param {Pick<import("./types").Loupe, "asked">} loupe
 */
export const isAsking = ({ asked }) => Boolean(asked?.takes.length);

/** Return the part of a choice that answers a question, or null if no part of it does.
 * @param {Partial<import("./wire").WireSelection>} changes
 * @param {(keyof import("./wire").WireSelection)[]} takes
 */
export function answerIn(changes, takes) {
  const given = takes.filter((name) => name in changes);
  return given.length ? Object.fromEntries(given.map((name) => [name, changes[name]])) : null;
}

const GUESS = { width: 2.5, dashed: true, grow: 3 }; // drawn around the true cell if both are the same cell
const TRUTH = { width: 2.5 };

/** Return the outlines of the guess and of the true answer, for the heat map of the head in question.
 * @param {import("./types").Loupe} loupe
 * @param {{query: string, value: string}} palette
 */
export function ringsOf({ asked, selection }, palette) {
  if (!asked || !isAbout(asked.about, selection)) return [];
  const ring = (cell, look) => marksOf(cell, asked.about).map((mark) => ({ ...mark, ...look }));
  return [
    ...ring(asked.truth, { ...TRUTH, colour: palette.value }),
    ...ring(asked.guess, { ...GUESS, colour: palette.query }),
  ];
}

const isAbout = (about, selection) =>
  Object.entries(about).every(([name, value]) => name === "query" || selection[name] === value);

// A key is a cell of the row in question, a query without a key is a whole row, and a head has no place in a heat map.
/** @param {Partial<import("./wire").WireSelection> | null} cell @param {Partial<import("./wire").WireSelection>} about */
function marksOf(cell, { query }) {
  if (!cell) return [];
  if (cell.key !== undefined) return [{ row: cell.query ?? query, column: cell.key }];
  return cell.query === undefined ? [] : [{ row: cell.query }];
}

const TAKES = { key: ["key"], row: ["query"], head: ["layer", "head"] };

/** Return the part of the selection that an option names: a column, a row, or a head such as "1.3".
 * @param {string} surface
 * @param {string} name
 * @returns {Partial<import("./wire").WireSelection> | null}
 */
export function cellOf(surface, name) {
  const takes = TAKES[surface];
  if (!takes || name === undefined) return null;
  return Object.fromEntries(name.split(".").map((part, i) => [takes[i], Number(part)]));
}

/** Make the question as the pictures see it: what is chosen in a picture is reported by the name of its option.
 * @param {{surface: string, about: import("./types").Asked["about"], out: string[]}} data
 * @param {{guess: string[], truth: import("./types").Asked["truth"], isOpen: boolean}} state
 * @param {(name: string, isMove: boolean) => void} choose
 * @returns {import("./types").Asked}
 */
export function createAsked({ surface, about, out }, { guess, truth, isOpen }, choose) {
  const takes = (isOpen && TAKES[surface]) || [];
  const found = cellOf(surface, guess[0]);
  return {
    takes,
    about,
    guess: found,
    truth,
    out,
    take(changes, isMove = false) {
      const given = answerIn(changes, takes);
      if (!given) return;
      const whole = { ...found, ...given };
      choose(takes.map((name) => Math.max(0, Math.round(whole[name] ?? 0))).join("."), isMove);
    },
  };
}
