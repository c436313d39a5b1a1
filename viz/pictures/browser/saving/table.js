// The numbers of a picture as a table, and the table as CSV for spreadsheets.

/** Columns by their names, all of the same length: numbers as the run has them, or texts.
 * @typedef {Record<string, Float32Array | Float64Array | Int32Array | string[]>} Table
 */

/** Characters that may begin a formula in a spreadsheet, as in viz/pictures/spreadsheet.py. */
const FORMULA = ["=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠"];
const MARK = "\ufeff"; // the UTF-8 byte order mark, without which Excel reads "traversé" as "traversÃ©"
const SINGLE_DIGITS = [6, 7, 8, 9]; // significant digits to try until they give back the same float32

/** Make a table from its rows.
 * @param {Record<string, string>} columns by name: "single" or "double" precision, "whole" numbers, or "text"
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

/** Write a table as CSV, with a UTF-8 byte order mark. The provenance is the last line, because spreadsheets take the
 * first line for the names.
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

// Write a number with the fewest digits that give back the same float32.
function singleText(value) {
  if (!Number.isFinite(value)) return plainText(value);
  const found = SINGLE_DIGITS.map((digits) => Number(value.toPrecision(digits))).find(
    (short) => Math.fround(short) === value,
  );
  return String(found ?? value);
}

// Quote a text if needed, and prevent spreadsheets from reading it as a formula.
function quoted(text) {
  const line = text.replace(/\r\n?/g, "\n");
  const safe = FORMULA.some((sign) => line.startsWith(sign)) ? `'${line}` : line;
  return /[",\n#]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
