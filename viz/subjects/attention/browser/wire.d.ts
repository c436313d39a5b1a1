// What Python sends of one cell: the dictionaries of viz/subjects/attention/wire.py say the same.
// A number is text where it may be infinite or none; a vector is float32 in base64.

import type { Kind, WireChoice, WireMeasures, WireRun } from "../../../pictures/browser/wire";

export interface WireSide {
  position: number;
  token: string;
}

/** The products of query and key, by magnitude, and what becomes of their sum. */
export interface WireScore {
  dimensions: number[];
  q: string;
  k: string;
  products: string;
  shown: number;
  more: string;
  dot: string;
  scaled: string;
  edited: boolean;
  allowed: boolean;
  masked: string;
  fill: string;
  /** Where it is not 1 / sqrt(d_k). */
  scale?: string;
  bias?: string;
  /** What scaled products are bent to stay within, where they are. */
  softcap?: string;
}

/** The strongest keys of the row. */
export interface WireRow {
  size: number;
  keys: number[];
  tokens: string[];
  hidden: number[];
  scores: string;
  exponentials: string;
  weights: string;
  shown: number;
  more: string;
  others: string;
  largest: string;
  denominator: string;
  /** Keys that the query may read. */
  open: number;
  /** Share that reads nothing. */
  left?: string;
}

/** What the key brings to the mix of the row. */
export interface WireMix {
  v: string;
  weighted: string;
  mix: string;
  share: string;
}

/** What the head writes, and all heads together. */
export interface WireOutput {
  own: string;
  output: string;
  norms: string;
  bias: string;
  together: string;
}

/** Whose keys and values a head reads, and which heads read the same. */
export interface WireShared {
  head: number;
  readers: number[];
}

/** The angles of rotary positions, a pair of dimensions each. */
export interface WireTurned {
  query: string;
  key: string;
}

/** One row before its scores are divided, and all rows of the run by the divisor. */
export interface WireScaling {
  reader: string;
  /** Of the keys that it may read. */
  tokens: string[];
  products: number[];
  divisors: number[];
  saturated: number[];
  entropy: number[];
  gradient: number[];
  rows: number;
  /** The root of d_k. */
  usual: number;
  /** In force in the run in view. */
  divisor: number;
}

/** All heads of a run, and which of them are off. */
export interface WireHeads {
  run: string;
  /** By "kind layer head". */
  off: string[];
  /** By the same: nats that a token of the text costs more without it. */
  damage: Record<string, number>;
  /** Whether none can be switched off. */
  fixed?: boolean;
}

export interface WireCell {
  name: string;
  head: number;
  query: WireSide;
  key: WireSide;
  weight: string;
  rank: number;
  lines: string;
  /** Names of the lines that a person changed. */
  changed: string[];
  tolerance: string;
  score: WireScore;
  row: WireRow;
  mix: WireMix;
  /** Left out of a model that gives no parameters: what each head writes is not known. */
  output?: WireOutput;
  shared?: WireShared;
  turned?: WireTurned;
  /** Whether a decoder's row is named after the token that reads. */
  reads?: boolean;
  /** What of the selection it was made for. */
  made?: Record<string, string | number>;
  /** Whether another cell of the same head goes by the card. */
  commits?: boolean;
  /** Names of the lines that were not computed a second time. */
  unchecked?: string[];
}

/** An array among others. */
export interface WireArray {
  /** Of its first number. */
  at: number;
  shape: number[];
}

/** What some heads of one attention computed, and what they write through. */
export interface WireAttention {
  kind: Kind;
  layer: number;
  name: string;
  heads: number[];
  /** Of each head of the layer, whose keys and values it reads. */
  keyHeads: number[];
  /** Of which of these keys and values are here. */
  read: number[];
  scale: number;
  softcap: number | null;
  edited: boolean;
  changed: string[];
  sinks: boolean;
  query: WireArray;
  key: WireArray;
  value: WireArray;
  scores: WireArray;
  weights: WireArray;
  mask: WireArray;
  /** Of all heads of the layer. */
  mixes: WireArray;
  output: WireArray;
  /** None of a model that gives no parameters. */
  projection: WireArray | null;
  bias: WireArray | null;
  /** To the scores, for the distance. */
  added: WireArray | null;
}

/** What the cells of a page of its own are computed from. */
export interface WireCells {
  attentions: WireAttention[];
  /** Of all arrays: float32, deflated, in base64. */
  numbers: string;
  /** What stands in place of a masked score. */
  fill: string;
  tolerance: number;
  /** The first cell as Python computed it. */
  held: WireCell;
}

/** A run on a page of its own. */
export interface WireStandalone {
  run: WireRun;
  /** Of all heads, deflated, in base64. */
  codes: string;
  measures: WireMeasures;
  choice: WireChoice;
  cells: WireCells | null;
  /** Where it comes from. */
  said: Record<string, unknown>;
}
