// The words that a model knows, and which words of a typed text are among them. Python reads the finished text again,
// so this only has to agree with Python on what people usually type.

const LONGEST_TEXT = 2_000; // maximum length of a text in which words are looked up
const LONGEST_WORD = 60;
const SIGNS = new Set("\"`´“”„‚«»‹›()[]{}:;-‐‑‒–—―…*/\\|_~•·¿¡.,?!'");
const SHORT =
  /^(?:(can)(?:'t|not)|(.+)n't|(i|you|he|she|it|we|they|that|there|here|what|where|who|how|when|why)'(?:m|re|s|ve|ll|d)|(let)'s)$/;
const FULL_STEMS = { wo: "will", sha: "shall" };
const NUMBER = /^-?\d+(?:st|nd|rd|th)?$|^\d{1,2}(?::\d{2}){1,2}$/;

/** @typedef {{start: number, end: number, text: string}} Word */

/** @param {import("../../pictures/browser/wire").WireVocabulary} sent */
export function createVocabulary(sent) {
  const known = new Map(sent.words.map((word, at) => [word, at]));
  const sorted = [...sent.words.keys()].sort((a, b) => (sent.words[a] < sent.words[b] ? -1 : 1));
  const has = (word) => known.has(word) || (sent.carries && NUMBER.test(word));
  const isKnown = (text) => isKnownBy(has, text, known.has("'s"));
  return {
    ...sent,
    isKnown,
    /** Return the part of speech of a known word.
     * @param {string} word
     */
    partOf: (word) => sent.names[sent.parts[known.get(word)]],
    /** Return the words that begin with a text, the most frequent first. */
    completions: (begun, most) => completions(sent.words, sorted, begun, most),
    /** Return the unknown words of a text; none if the text is too long.
     * @param {string} text
     * @param {number} [caret] the end of a word that is being typed, which may still become a known one
     */
    unknownIn: (text, caret = -1) =>
      sent.whole && text.length <= LONGEST_TEXT
        ? wordsOf(text).filter((word) => {
            if (isKnown(word.text)) return false;
            return (
              word.end !== caret || !completions(sent.words, sorted, bare(word.text), 1).length
            );
          })
        : [],
  };
}

/** Split a text at white space.
 * @param {string} text
 * @returns {Word[]}
 */
export function wordsOf(text) {
  return [...text.matchAll(/\S+/g)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: match[0],
  }));
}

/** Return the word that ends at the caret, without the signs before it, or undefined if there is none.
 * @param {string} text
 * @param {number} caret
 * @returns {Word | undefined}
 */
export function wordAt(text, caret) {
  if (text.length > LONGEST_TEXT || /\S/.test(text[caret] ?? " ")) return undefined;
  let start = caret;
  while (start > 0 && /\S/.test(text[start - 1])) start--;
  while (start < caret && SIGNS.has(text[start])) start++;
  return start < caret ? { start, end: caret, text: text.slice(start, caret) } : undefined;
}

function isKnownBy(has, text, splitsOwners) {
  if (text.length > LONGEST_WORD) return false;
  const plain = text.toLowerCase().replace(/[’‘ʼ＇]/g, "'");
  if (has(plain)) return true;
  const word = bare(plain);
  if (!word || has(word)) return true;
  const short = SHORT.exec(word);
  if (short) {
    const stem = short.slice(1).find(Boolean);
    return has(FULL_STEMS[stem] ?? stem);
  }
  if (splitsOwners && word.endsWith("'s")) return isKnownBy(has, word.slice(0, -2), false);
  const parts = word.split(/[-.,?!]/).filter(Boolean);
  return parts.length > 1 && parts.every(has);
}

function bare(text) {
  let [start, end] = [0, text.length];
  while (start < end && SIGNS.has(text[start])) start++;
  while (end > start && SIGNS.has(text[end - 1])) end--;
  const isNegative = text[start - 1] === "-" && /\d/.test(text[start] ?? "");
  return text.slice(isNegative ? start - 1 : start, end);
}

function completions(words, sorted, begun, most) {
  const prefix = begun.toLowerCase().replace(/[’‘ʼ＇]/g, "'");
  if (!prefix || prefix.length > LONGEST_WORD) return [];
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (words[sorted[middle]] < prefix) low = middle + 1;
    else high = middle;
  }
  const found = [];
  for (let i = low; i < sorted.length && words[sorted[i]].startsWith(prefix); i++)
    if (words[sorted[i]] !== prefix) found.push(sorted[i]);
  return found
    .sort((a, b) => a - b)
    .slice(0, most)
    .map((place) => words[place]);
}
