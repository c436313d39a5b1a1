// Unicode's normal forms, with the place of each character as tokenizers tracks it.

import { hasMark } from "../characters.js";
import { transformed } from "./aligned.js";

/** @typedef {import("../types").Piece} Piece */
/** @typedef {"NFC" | "NFD" | "NFKC" | "NFKD"} Form */

const APART = { NFC: "NFD", NFD: "NFD", NFKC: "NFKD", NFKD: "NFKD" };
const LONGEST_CLUSTER = 64; // maximum number of characters that composition may join; a longer run of marks is cut

/** Write a text in a normal form.
 * @param {Piece} piece
 * @param {Form} form
 * @returns {Piece}
 */
export function normalForm(piece, form) {
  if (piece.text.normalize(form) === piece.text) return piece;
  /** @type {[string, number][]} */
  const changes = [];
  for (const cluster of clusters(piece.text, form)) changes.push(...changesOf(cluster, form));
  return transformed(piece, changes);
}

// Yield groups of characters that change together: a letter and its marks, or the parts of a syllable.
function* clusters(text, form) {
  /** @type {string[]} */
  let cluster = [];
  for (const character of text) {
    if (cluster.length && !joins(cluster, character, form)) {
      yield cluster;
      cluster = [];
    }
    cluster.push(character);
  }
  if (cluster.length) yield cluster;
}

function joins(cluster, character, form) {
  if (character < "\u0300" || cluster.length > LONGEST_CLUSTER) return false;
  if (hasMark(character)) return true;
  const before = cluster.join("");
  const alone = before.normalize(form) + character.normalize(form);
  return (before + character).normalize(form) !== alone;
}

// Return the characters of a form, each with its number for `transformed`: a replacement, an insertion, or a join.
function changesOf(cluster, form) {
  /** @type {[string, number][]} */
  const apart = cluster.flatMap((character) =>
    [...character.normalize(APART[form])].map(
      (each, i) => /** @type {[string, number]} */ ([each, i ? 1 : 0]),
    ),
  );
  const take = (character) => {
    const at = apart.findIndex(([each]) => each === character);
    return at < 0 ? 1 : apart.splice(at, 1)[0][1];
  };
  const made = [...cluster.join("").normalize(form)];
  return made.map((character) => {
    const [first, ...joined] = character.normalize("NFD");
    let change = take(first);
    for (const each of joined) change += take(each) - 1;
    return /** @type {[string, number]} */ ([character, change]);
  });
}
