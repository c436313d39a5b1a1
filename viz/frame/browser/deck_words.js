// A line about the hands counted on a slide.

/** Write the counts of hands in one line, or "" if none were counted.
 * @param {string[]} answers @param {(number | null)[]} hands
 */
export const handsSaid = (answers, hands) =>
  answers.flatMap((answer, i) => (hands[i] ? [`${answer} ${hands[i]}`] : [])).join("  ·  ");
