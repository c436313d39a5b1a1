// Looks up a text by its key in the language of the page, as texts/saying.py does in Python.

const FIELD = /\{(\w+)(?::(,?)(?:\.(\d+))?([f%]?))?\}/g;
const MARKS = { ".": "decimal", ",": "thousands", "%": "percent" };
const USUAL = "en";

/** @type {Record<string, Record<string, string | { one: string, other: string }>>} */
let texts = { [USUAL]: {} };
let spoken = USUAL;

/** Store the texts of all languages, by language and key.
 * @param {Record<string, Record<string, string | { one: string, other: string }>>} all
 */
export function learn(all) {
  texts = all;
}

/** Set the language from now on. Existing pictures keep their texts.
 * @param {string} [language] English if missing
 */
export function speak(language = USUAL) {
  spoken = language in texts ? language : USUAL;
}

/** @returns {string} the language of the texts */
export function language() {
  return spoken;
}

/** Return the text of a key.
 * @param {string} key an area of the interface and a name in it, such as "decoding.undo"
 * @param {Record<string, unknown>} [values] the values for its braces. A number with a format there, as in
 *   `{share:.1%}`, is written in the page's language. If a text has two forms, `count` selects one.
 * @returns {string}
 */
export function say(key, values) {
  const found = texts[spoken][key];
  if (found === undefined) throw new Error(`no text has the key "${key}"`);
  const text = typeof found === "string" ? found : found[formOf(values.count)];
  return values ? text.replace(FIELD, (_, ...field) => valueText(values, ...field)) : text;
}

/** Return the text of a key in a family: "decoding.basis" and "beam" make one key.
 * @param {string} family
 * @param {string} name
 * @param {Record<string, unknown>} [values]
 */
export function sayOf(family, name, values) {
  return say(`${family}.${name}`, values);
}

/** Write a list in words: "a, b and c".
 * @param {(string | number)[]} words
 */
export function listed(words) {
  if (words.length < 2) return words.join("");
  return say("list.and", { first: words.slice(0, -1).join(", "), last: words.at(-1) });
}

/** Write a number, given in JavaScript's notation, in that of the language.
 * @param {string} number
 */
export function written(number) {
  return number.replace(/[.,%]/g, (sign) => String(texts[spoken][`language.${MARKS[sign]}`]));
}

// Some languages use the singular for every number below 2.
function formOf(count) {
  const isBelowTwo = texts[spoken]["language.singular"] === "below 2";
  return (isBelowTwo ? Math.abs(count) < 2 : count === 1) ? "one" : "other";
}

function valueText(values, name, grouped, decimals, kind) {
  if (!(name in values)) throw new Error(`the text needs a value for "${name}"`);
  const value = values[name];
  if (typeof value !== "number") return String(value);
  const places = kind ? Number(decimals ?? 6) : null;
  const digits = formatOf(grouped === ",", places).format(kind === "%" ? value * 100 : value);
  return written(kind === "%" ? `${digits}%` : digits);
}

const formats = new Map(); // reused, because formatting without one takes ten times as long

function formatOf(useGrouping, places) {
  const name = `${useGrouping} ${places}`;
  if (!formats.has(name)) {
    const fixed = { minimumFractionDigits: places ?? 0, maximumFractionDigits: places ?? 17 };
    formats.set(name, new Intl.NumberFormat("en", { useGrouping, ...fixed }));
  }
  return formats.get(name);
}
