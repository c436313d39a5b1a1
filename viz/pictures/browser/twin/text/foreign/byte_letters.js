// GPT-2's letters for bytes (Radford et al. 2019). Printable bytes stand for themselves.

const prints = (byte) =>
  (byte > 32 && byte < 127) || (byte > 160 && byte < 173) || (byte > 173 && byte < 256);

/** The letter of each byte. */
export const BYTE_LETTERS = (() => {
  let more = 256;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(prints(byte) ? byte : more++),
  );
})();

/** The byte of each letter. */
export const LETTER_BYTES = new Map(BYTE_LETTERS.map((letter, byte) => [letter, byte]));
