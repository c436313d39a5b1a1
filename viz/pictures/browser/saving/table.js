// Numbers of a picture as a table, and that as CSV for spreadsheets.

/** Columns by their names, all of the same length: numbers as the run has them, or texts.
 * @typedef {Record<string, Float32Array | Float64Array | Int32Array | string[]>} Table
 */

/** What a spreadsheet may read as the beginning of a formula; viz/pictures/spreadsheet.py says the same. */
const FORMULA = ["=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠"];
const MARK = "\ufeff"; // of UTF-8: without it, Excel reads "traversé" as "traversÃ©"
const SINGLE_DIGITS = [6, 7, 8, 9]; // of which so many give back the same float32

/** Make a table of its rows.
 * @param {Record<string, string>} columns by name: whether they hold "single" numbers, "double", "whole", or "text"
 * @param {(string | number | null)[][]} rows
 * @returns {Table}
 */
export function tableOf(columns, rows) {
  const made = Object.entries(columns).map(([name, kind], at) => {
    const values = rows.map((row) => row[at]);
    return [name, kind === "text" ? values.map(textOf) : numbersOf(kind, values)];
  });
  return Object.fromEntries(made);
}

const textOf = (value) => (value == null ? "" : String(value));

function numbersOf(kind, values) {
  const numbers = values.map((value) => (value == null ? Number.NaN : value));
  if (kind === "whole") return Int32Array.from(numbers);
  return kind === "single" ? Float32Array.from(numbers) : Float64Array.from(numbers);
}

/** Write a table as CSV, after the mark of UTF-8. Where it comes from is the last line: as the first one it would be
 * taken for the names.
 * @param {Table} table
 * @param {string} about
 * @returns {string}
 */
export function csvText(table, about) {
  const columns = Object.values(table);
  const lines = [Object.keys(table).map(quoted).join(",")];
  for (let row = 0; row < (columns[0]?.length ?? 0); row++)
    lines.push(columns.map((values) => cellText(values, row)).join(","));
  if (about) lines.push(quoted(`# Loupe ${about}`));
  return `${MARK}${lines.join("\n")}\n`;
}

function cellText(values, row) {
  if (Array.isArray(values)) return quoted(values[row]);
  return values instanceof Float32Array ? singleText(values[row]) : plainText(values[row]);
}

const plainText = (value) => (Number.isNaN(value) ? "" : String(value).replace("Infinity", "inf"));

// The fewest digits that give back the same float32.
function singleText(value) {
  if (!Number.isFinite(value)) return plainText(value);
  const found = SINGLE_DIGITS.map((digits) => Number(value.toPrecision(digits))).find(
    (short) => Math.fround(short) === value,
  );
  return String(found ?? value);
}

// A text that no spreadsheet takes for a formula, in quotes where a comma or a line would end it.
function quoted(text) {
  const line = text.replace(/\r\n?/g, "\n");
  const safe = FORMULA.some((sign) => line.startsWith(sign)) ? `'${line}` : line;
  return /[",\n#]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
