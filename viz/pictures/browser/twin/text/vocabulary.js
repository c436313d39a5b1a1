// The tokens of a tokenizer as a checkpoint stores them, as in model/text/vocabulary.py.

/** Return ids by token: those given or, for tokens in one text, consecutive numbers or the `joint` ids.
 * @param {string | Record<string, number>} given
 * @param {number} first
 * @param {Map<string, number> | null} [joint]
 * @returns {Map<string, number>}
 */
export function readIds(given, first, joint = null) {
  if (typeof given !== "string") return new Map(Object.entries(given));
  const tokens = given.split(" ");
  return new Map(tokens.map((token, i) => [token, joint ? joint.get(token) : first + i]));
}

/** Return the tokens of one side, or of two that share ids, in the order of their ids.
 * @param {Map<string, number>[]} sides
 * @param {number} first
 * @returns {string[]}
 */
export function idSpace(sides, first) {
  /** @type {string[]} */
  const tokens = [];
  for (const side of sides) for (const [token, id] of side) tokens[id - first] = token;
  return tokens;
}
