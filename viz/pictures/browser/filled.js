// A text with parts that are no text in its braces: elements, or words that get a colour.

/** Put parts into a text, each in the place of the braces that have its name.
 * @template P
 * @param {string} text as `say` gives it without values
 * @param {Record<string, P>} parts numbers among them are written already
 * @returns {(string | P)[]}
 */
export function filled(text, parts) {
  /** @type {(string | P)[]} */
  const found = [];
  for (const [at, piece] of text.split(/\{(\w+)\}/).entries()) {
    if (at % 2 === 0) found.push(...(piece ? [piece] : []));
    else if (piece in parts) found.push(parts[piece]);
    else throw new Error(`the text needs a part for "${piece}"`);
  }
  return found;
}
