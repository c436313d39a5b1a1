// A deck in a link: compressed, after the # that browsers do not send to a server.

import { DeckFault, MOST, readDeck, refuse, writeDeck } from "./deck.js";

/** The maximum length of a link that is opened; longer ones were not made by Loupe. */
export const LONGEST_LINK = 16_000;
const MARK = "#deck=";

/** Pack a deck for a link.
 * @param {import("./deck.js").Deck} deck
 */
export async function packDeck(deck) {
  const plain = new Blob([JSON.stringify(JSON.parse(writeDeck(deck)))]).stream();
  const packed = await read(plain.pipeThrough(new CompressionStream("deflate-raw")), Infinity);
  let letters = "";
  for (const byte of packed) letters += String.fromCharCode(byte);
  return MARK + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Return whether an address holds a deck. @param {string} hash */
export const holdsDeck = (hash) => hash.startsWith(MARK);

/** Read a deck from the end of an address; throws a DeckFault.
 * @param {string} hash
 * @param {string[]} pages
 */
export async function unpackDeck(hash, pages) {
  const letters = hash.slice(MARK.length);
  if (letters.length > LONGEST_LINK) refuse("too_long", { most: LONGEST_LINK });
  let text;
  try {
    const plain = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
    const packed = new Blob([Uint8Array.from(plain, (letter) => letter.charCodeAt(0))]);
    const stream = packed.stream().pipeThrough(new DecompressionStream("deflate-raw"));
    text = new TextDecoder().decode(await read(stream, MOST.file));
  } catch (error) {
    if (error instanceof DeckFault) throw error;
    refuse("link_broken");
  }
  return readDeck(text, pages);
}

// Read all bytes of a stream up to a limit, because a short text may unpack to a very long one.
async function read(stream, most) {
  const parts = [];
  let length = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      refuse("too_long", { most });
    }
    parts.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
