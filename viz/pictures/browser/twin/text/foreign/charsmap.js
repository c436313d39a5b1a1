// SentencePiece's table of characters and their replacements, which Precompiled normalizers use.

import { ForeignTokenizerError } from "../foreign_names.js";
import { transformed } from "./aligned.js";

/** @typedef {import("../types").Piece} Piece */

const LONGEST_CLUSTER = 6; // in bytes; a longer cluster is looked up character by character

/** Read a table: its length in four bytes, a double-array trie, and replacements that each end with a zero byte.
 * @param {string} base64
 * @returns {(piece: Piece) => Piece}
 */
export function readCharsmap(base64) {
  const find = finder(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  const segments = new Intl.Segmenter("en", { granularity: "grapheme" });
  const encoder = new TextEncoder();
  const encode = (text) => encoder.encode(text);
  return (piece) => {
    /** @type {[string, number][]} */
    const changes = [];
    for (const { segment } of segments.segment(piece.text)) {
      const whole = encode(segment).length < LONGEST_CLUSTER ? find(encode(segment)) : null;
      if (whole !== null) put(changes, segment, whole);
      else
        for (const character of segment)
          put(changes, character, find(encode(character)) ?? character);
    }
    return transformed(piece, changes);
  };
}

function put(changes, old, written) {
  const made = [...written];
  const more = made.length - [...old].length;
  for (const [i, character] of made.entries())
    changes.push([character, i < made.length - more ? 0 : 1]);
  if (more < 0 && changes.length) changes.at(-1)[1] += more;
}

// Return a function that finds the replacement of the shortest prefix of a text that is in the table, or null.
function finder(data) {
  const view = new DataView(data.buffer);
  const size = data.length >= 4 ? view.getUint32(0, true) : -1;
  if (size < 4 || size % 4 || 4 + size > data.length)
    throw new ForeignTokenizerError("the table of characters of the tokenizer cannot be read");
  const units = Uint32Array.from({ length: size / 4 }, (_, i) => view.getUint32(4 + 4 * i, true));
  const texts = data.subarray(4 + size);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const offsetOf = (unit) => (unit >>> 10) << ((unit & 512) >>> 6);
  return (key) => {
    let at = offsetOf(units[0]);
    for (const byte of key) {
      if (byte === 0) return null;
      at ^= byte;
      const unit = units[at];
      if (unit === undefined || (unit & 0x800000ff) >>> 0 !== byte) return null;
      at ^= offsetOf(unit);
      if (!((unit >>> 8) & 1)) continue;
      const start = units[at] & 0x7fffffff;
      const end = texts.indexOf(0, start);
      return decoder.decode(texts.subarray(start, end < 0 ? texts.length : end));
    }
    return null;
  };
}
