// Thrift's compact protocol, as far as a Parquet file is written in it.

const TYPES = { whole: 5, long: 6, text: 8, list: 9, struct: 12 };
const encoder = new TextEncoder();

/** One field of a struct: its number, and what it holds.
 * @typedef {[number, "whole" | "long", number] | [number, "text", string] | [number, "struct", Field[]] | [number, "list", ["whole" | "text" | "struct", any[]]]} Field
 */

/** Write a struct.
 * @param {Field[]} fields in the order of their numbers
 * @returns {number[]} bytes
 */
export function struct(fields) {
  const bytes = [];
  let before = 0;
  for (const [number, type, value] of fields) {
    bytes.push(((number - before) << 4) | TYPES[type], ...written(type, value)); // numbers are near each other
    before = number;
  }
  return [...bytes, 0];
}

function written(type, value) {
  if (type === "struct") return struct(value);
  if (type === "list") return list(value);
  if (type === "text") {
    const letters = encoder.encode(value);
    return [...variable(letters.length), ...letters];
  }
  return variable(2 * value); // a sign stands in the last bit, and no number here has one
}

function list([type, values]) {
  const size = values.length;
  const head = size < 15 ? [(size << 4) | TYPES[type]] : [0xf0 | TYPES[type], ...variable(size)];
  return [...head, ...values.flatMap((value) => written(type, value))];
}

// Seven bits a byte, the lowest first.
function variable(value) {
  const bytes = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}
