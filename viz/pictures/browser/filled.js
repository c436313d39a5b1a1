// Texts whose braces are filled with other things than text, such as elements or coloured words.

/** Put each part into a text, in place of the braces with its name.
 * @template P
 * @param {string} text the text that `say` returns without values
 * @param {Record<string, P>} parts the parts; numbers among them are already formatted
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
