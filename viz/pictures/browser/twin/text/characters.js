// What Python's strings know of characters, by Unicode's properties: whether a text has one that is so.

/** @param {string} character one alone */
export const isSpace = (character) =>
  /\p{White_Space}/u.test(character) || (character >= "\u001c" && character <= "\u001f");

/** What is not seen: a control, or a format character.
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

/** Whether it begins with a hyphen and what is a letter to Python's patterns.
 * @param {string} text
 */
export const isHyphenated = (text) => /^-[\p{L}\p{Nl}\p{No}]/u.test(text);

/** @param {string} character one alone: the last sigma of a word would become another */
export const lower = (character) => character.toLowerCase();
