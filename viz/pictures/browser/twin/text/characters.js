// Properties of characters that Python's strings know, by Unicode's properties. `has…` asks for any such character.

/** @param {string} character a single one */
export const isSpace = (character) =>
  /\p{White_Space}/u.test(character) || (character >= "\u001c" && character <= "\u001f");

/** Return whether a text has an invisible character: a control or a format character.
 * @param {string} text
 */
export const hasControl = (text) => /[\p{Cc}\p{Cf}]/u.test(text);

/** @param {string} text */
export const hasMark = (text) => /\p{M}/u.test(text);

/** @param {string} text */
export const hasDigit = (text) => /\p{Nd}/u.test(text);

/** @param {string} text */
export const hasLower = (text) => /\p{Lowercase}/u.test(text);

/** @param {string} text */
export const hasUpper = (text) => /\p{Uppercase}/u.test(text);

/** @param {string} text */
export const hasTitle = (text) => /\p{Lt}/u.test(text);

/** @param {string} text */
export const hasLetterOrNumber = (text) => /[\p{L}\p{N}]/u.test(text);

/** Return whether a text begins with a hyphen and a character that Python's patterns take for a letter.
 * @param {string} text
 */
export const isHyphenated = (text) => /^-[\p{L}\p{Nl}\p{No}]/u.test(text);

/** @param {string} character a single one, because a sigma at the end of a word would become another letter */
export const lower = (character) => character.toLowerCase();
