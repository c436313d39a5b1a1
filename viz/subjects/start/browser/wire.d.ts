// What Python sends of the question and its answer: viz/subjects/start/wire.py says the same.

export type Scene = "guess" | "query" | "scores" | "softmax" | "mix" | "answer";

/** What the head computes for the word that is asked about: float32 in base64. */
export interface WireRow {
  q: string;
  k: string;
  v: string;
  /** Before the softmax, scaled. */
  scores: string;
  weights: string;
  /** What the head hands on. */
  mix: string;
}

/** The word that was written for the one that is asked about. */
export interface WireAnswer {
  /** Its place among those written. */
  at: number;
  probability: number;
  /** Its probability with the head switched off. */
  without: number;
}

/** One sentence, what was written for it, and what the head reads. */
export interface WireReading {
  source: string;
  /** What it is called beside the other one. */
  label: string;
  tokens: string[];
  /** What stands before each word, and the word. */
  written: [string, string][];
  given: boolean;
  /** Whether the sentence has words that the model does not know. */
  unknown: boolean;
  /** Of the whole head, row after row. */
  weights: string;
  row: WireRow;
  answer: WireAnswer | null;
  /** Where the noun stands that the data say is meant. */
  right: number | null;
  /** Of that noun: m or f, as far as the data say. */
  gender: string;
}

/** The question of a run, its readings, and where the reader is. */
export interface WireStart {
  layer: number;
  head: number;
  query: number;
  /** Numbers in a query and a key; in a value. */
  sizes: [number, number];
  candidates: number[];
  readings: WireReading[];
  current: number;
  languages: [string, string];
  scene: Scene;
  /** Position of the word that was guessed; -1 of none. */
  guess: number;
  /** Position of the word that was chosen to be asked about; -1 of none. */
  word: number;
  number: number;
}
