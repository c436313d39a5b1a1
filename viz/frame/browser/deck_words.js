// What is said of a deck of slides: what was counted, and how others get to it.

/** The counts of hands in one line; "" where none was counted.
 * @param {string[]} answers @param {(number | null)[]} hands
 */
export const handsSaid = (answers, hands) =>
  answers.flatMap((answer, i) => (hands[i] ? [`${answer} ${hands[i]}`] : [])).join("  ·  ");

/** How the app is started so that others can open it. */
export const START = "python3 start.py --server.address 0.0.0.0";
