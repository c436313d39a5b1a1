// A text as tokens, each with its place, as in model/text/encoding.py.

/** @typedef {import("./types").Encoding} Encoding */

export const SPECIAL_TOKENS = ["<pad>", "<s>", "</s>", "<unk>"];

/** Put special tokens around an encoding, with the names of their ids.
 * @param {Encoding} encoding
 * @param {number[]} before
 * @param {number[]} after
 * @param {(id: number) => string} name
 * @returns {Encoding}
 */
export function between({ ids, tokens, spans, units, unknown, copied }, before, after, name) {
  const around = (values, of) => [...before.map(of), ...values, ...after.map(of)];
  return {
    ids: around(ids, (id) => id),
    tokens: around(tokens, name),
    spans: around(spans, () => null),
    units: around(units, () => null),
    unknown,
    copied: copied.map((word) => ({ ...word, index: before.length + word.index })),
  };
}
