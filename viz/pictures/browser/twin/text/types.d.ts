// The types of texts as tokens, named as in model/text/, of which this is the other half.

/** Start and end of a stretch of characters in the typed text. An emoji counts as one, as in Python. */
export type Span = [number, number];

/** Normalised text, with the typed span of each unit of JavaScript's string. */
export interface Piece {
  text: string;
  spans: Span[];
}

/** Words that are kept as they are. If they are all known words, other words are split in more ways. */
export interface WholeWords {
  words: { has(word: string): boolean };
  longest: number;
  areAll: boolean;
}

/** One token of a word: the whole word, or a part of it. A mark that stands alone covers no characters. */
export interface SubwordToken {
  id: number;
  start: number;
  end: number;
}

/** Splits a word into tokens. */
export type Split = (word: string) => Iterable<SubwordToken>;

export type CopiedKind = "noun" | "plural noun" | "name" | "number" | "time";

/** A word that is carried over: the kind of its stand-in, and the text to show. */
export interface CopiedWord {
  index: number;
  text: string;
  kind: CopiedKind;
}

/** A stretch of text without a token. */
export interface UnknownWord {
  text: string;
  start: number;
  end: number;
}

/** A text as tokens. The first four lists have one entry per token; special tokens have neither a span nor a unit. */
export interface Encoding {
  ids: number[];
  tokens: string[];
  spans: (Span | null)[];
  /** The number of the word, or of the character, that alignments count. */
  units: (number | null)[];
  unknown: UnknownWord[];
  copied: CopiedWord[];
}

/** A word of a typed text: as the vocabulary would contain it, and with its capitals. */
export interface Word {
  text: string;
  typed: string;
  known: boolean;
}

/** The token that is read in place of a word, and its kind. */
export interface Carried {
  token: string;
  kind: CopiedKind;
}

/** How the unknown words of one text are carried over. */
export interface Carrier {
  reserved: Set<string>;
  /** Choose a stand-in for each word that is carried over, by the word's index. */
  choose(words: Word[]): Map<number, Carried>;
}

export interface StandIns {
  /** All stand-ins. */
  reserved: Set<string>;
  carrier(): Carrier;
  /** Make a carrier for the words of a target that were carried over in its source. */
  repeater(carried: Map<string, Carried>): Carrier;
}

/** The tokens of one side, and the conversion of text to them and back. */
export interface Tokenizer {
  kind: "word" | "character" | "bpe";
  lowerCase: boolean;
  vocabulary: Map<string, number>;
  /** Every token, id 0 first. */
  allTokens: string[];
  encode(text: string, carrier?: Carrier | null): Encoding;
  decode(ids: Iterable<number>): string;
  /** Return the name of an id, as shown. */
  token(id: number): string;
  /** Return the same tokenizer, with other names for some ids. */
  naming(shown: Map<number, string>): Tokenizer;
}

/** The ids of special tokens; null for those that a model lacks. */
export interface Specials {
  pad: number | null;
  bos: number | null;
  eos: number | null;
  unk: number | null;
  /** The token that hides a word to be guessed. */
  mask: number | null;
  /** The token with which the decoder of an encoder-decoder begins. */
  start: number | null;
  /** The ids that each end a model's text. */
  stops: number[];
  beforePrompt: number[];
  afterPrompt: number[];
  /** The ids before and after a text for an encoder. */
  around: [number[], number[]];
}

/** The tokenizers of a model's two sides, which read texts as a person types them. */
export interface Tokenizers {
  /** The tokenizers of the sides; null for a side that the model lacks. */
  source: Tokenizer | null;
  target: Tokenizer | null;
  specials: Specials;
  encodeSource(text: string): Encoding;
  /** Encode the text that a model without an encoder reads first and then continues. */
  encodePrompt(text: string): Encoding;
  /** Encode a target. Words that were carried over in `source` become the same stand-ins. */
  encodeTarget(text: string, source?: Encoding | null): Encoding;
  /** Return the same tokenizers, with a target that shows the words which this source carries over. */
  naming(source: Encoding): Tokenizers;
  /** Return whether a token stands in for a word that is carried over, and so is not a word itself. */
  isStandIn(token: string): boolean;
}
