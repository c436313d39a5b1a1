// What is said of a deck of slides: what was counted.

/** The counts of hands in one line; "" where none was counted.
 * @param {string[]} answers @param {(number | null)[]} hands
 */
export const handsSaid = (answers, hands) =>
  answers.flatMap((answer, i) => (hands[i] ? [`${answer} ${hands[i]}`] : [])).join("  ·  ");
