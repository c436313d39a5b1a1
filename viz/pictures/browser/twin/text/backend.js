// Whole words to ids, and the byte-pair encoding of section 5.1, as in model/text/backend.py.

/** @typedef {import("./types").Split} Split */

const WORD_START = "▁";
const SEPARATOR = "\0";

/** Look words up whole.
 * @param {Map<string, number>} ids
 * @param {number} unknownId
 * @returns {Split}
 */
export const lookUp = (ids, unknownId) => (word) => [
  { id: ids.get(word) ?? unknownId, start: 0, end: word.length },
];

/** Split words by learned merges, the first learned first. An unknown character is one token.
 * @param {Map<string, number>} ids
 * @param {[string, string][]} merges
 * @param {number} unknownId
 * @returns {Split}
 */
export function bytePairs(ids, merges, unknownId) {
  const ranks = new Map(merges.map((pair, rank) => [pair.join(SEPARATOR), rank]));
  return function* split(word) {
    let at = -WORD_START.length;
    for (const token of merged([WORD_START, ...word], ranks)) {
      const start = Math.max(at, 0);
      at += token.length;
      yield { id: ids.get(token) ?? unknownId, start, end: at };
    }
  };
}

function merged(tokens, ranks) {
  const rankOf = (left, right) => ranks.get(left + SEPARATOR + right) ?? Infinity;
  for (;;) {
    let least = Infinity;
    for (let i = 1; i < tokens.length; i++)
      least = Math.min(least, rankOf(tokens[i - 1], tokens[i]));
    if (least === Infinity) return tokens;
    tokens = joined(tokens, least, rankOf);
  }
}

// Merge all pairs of one rank from the left, and stop as soon as a merge makes a pair of a lower rank.
function joined(tokens, rank, rankOf) {
  const made = [];
  for (let i = 0; i < tokens.length; i++) {
    if (rankOf(tokens[i], tokens[i + 1]) !== rank) {
      made.push(tokens[i]);
      continue;
    }
    const token = tokens[i] + tokens[++i];
    const before = made.at(-1);
    made.push(token);
    if (Math.min(rankOf(before, token), rankOf(token, tokens[i + 1])) < rank)
      return made.concat(tokens.slice(i + 1));
  }
  return made;
}

/** Join the tokens to words again.
 * @param {string[]} tokens
 */
export const joinBytePairs = (tokens) =>
  tokens.join("").replaceAll(WORD_START, " ").split(" ").filter(Boolean);
