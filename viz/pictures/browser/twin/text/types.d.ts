// A text as tokens: named as in model/text/, of which it is the other half.

/** Start and end of a stretch of characters in the text as typed; an emoji is one, as in Python. */
export type Span = [number, number];

/** Normalised text, and for each unit of JavaScript's string the span that it was typed at. */
export interface Piece {
  text: string;
  spans: Span[];
}

/** Words that stay as they stand; where they are all that are known, more is tried with others. */
export interface WholeWords {
  words: { has(word: string): boolean };
  longest: number;
  areAll: boolean;
}

/** One token of a word: the whole, or a part; a mark that stands alone covers nothing of it. */
export interface SubwordToken {
  id: number;
  start: number;
  end: number;
}

/** Splits a word into tokens. */
export type Split = (word: string) => Iterable<SubwordToken>;

export type CopiedKind = "noun" | "plural noun" | "name" | "number" | "time";

/** A word that is carried over: which token stands in for it, and how it is shown. */
export interface CopiedWord {
  index: number;
  text: string;
  kind: CopiedKind;
}

/** A stretch of text for which there is no token. */
export interface UnknownWord {
  text: string;
  start: number;
  end: number;
}

/** One entry a token in the first four; special tokens have neither a span nor a unit. */
export interface Encoding {
  ids: number[];
  tokens: string[];
  spans: (Span | null)[];
  /** Number of the word, or of the character, that alignments count. */
  units: (number | null)[];
  unknown: UnknownWord[];
  copied: CopiedWord[];
}

/** A word of a typed text: as the vocabulary would have it, and with its capitals. */
export interface Word {
  text: string;
  typed: string;
  known: boolean;
}

/** What is read in a word's place, and as what. */
export interface Carried {
  token: string;
  kind: CopiedKind;
}

/** How the unknown words of one text are carried over. */
export interface Carrier {
  reserved: Set<string>;
  /** Gives a stand-in for each word, by its index, that is carried over. */
  choose(words: Word[]): Map<number, Carried>;
}

export interface StandIns {
  /** All of them. */
  reserved: Set<string>;
  carrier(): Carrier;
  /** Carries over the words of a target that were carried over in its source. */
  repeater(carried: Map<string, Carried>): Carrier;
}

/** One side's tokens, and the way from text to them and back. */
export interface Tokenizer {
  kind: "word" | "character" | "bpe";
  lowerCase: boolean;
  vocabulary: Map<string, number>;
  /** Every token, id 0 first. */
  allTokens: string[];
  encode(text: string, carrier?: Carrier | null): Encoding;
  decode(ids: Iterable<number>): string;
  /** Names an id as it is shown. */
  token(id: number): string;
  /** The same tokenizer, with other names for some ids. */
  naming(shown: Map<number, string>): Tokenizer;
}

/** Ids of special tokens; null for a token that does not exist. */
export interface Specials {
  pad: number | null;
  /** Begins a written text. */
  bos: number | null;
  /** Ends a text. */
  eos: number | null;
  unk: number | null;
  /** Hides a word to be guessed. */
  mask: number | null;
  /** Begins what the decoder of an encoder-decoder writes. */
  start: number | null;
  /** Each ends what is written. */
  stops: number[];
  beforePrompt: number[];
  afterPrompt: number[];
  /** Before and after a text for an encoder. */
  around: [number[], number[]];
}

/** The tokenizers of a model's two sides; texts are read as a person types them. */
export interface Tokenizers {
  source: Tokenizer;
  target: Tokenizer;
  specials: Specials;
  encodeSource(text: string): Encoding;
  /** What a decoder alone reads first and goes on from. */
  encodePrompt(text: string): Encoding;
  /** Words that were carried over in `source` become the same stand-ins. */
  encodeTarget(text: string, source?: Encoding | null): Encoding;
  /** The same, with a target that shows the words which this source carries over. */
  naming(source: Encoding): Tokenizers;
  /** Whether a token stands in for a word that is carried over, and so is no word itself. */
  isStandIn(token: string): boolean;
}
