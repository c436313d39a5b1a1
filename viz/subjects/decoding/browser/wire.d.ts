// What Python sends of a decoding: the dictionaries of viz/subjects/decoding/wire.py say the same.

import type { Table } from "../../../pictures/browser/wire";

export type Mode = "Greedy" | "Sampling" | "Beam" | "Given";

/** A path, and beside it its most probable tokens, sums of all others, and its weights as codes. */
export interface PathParcel {
  meta: WirePath;
  ranked: Table<Int32Array | Float32Array>;
  others: Table<Float64Array>;
  codes: Table<Uint16Array>;
}

/** A tree, and the codes of the rows that its hypotheses read, where they are not too many. */
export interface TreeParcel {
  meta: WireTree;
  codes?: Table<Uint16Array>;
}

/** How many tokens there are, how many of each step are sent, and the ranks of the written. */
export interface WireRanking {
  size: number;
  sent: number;
  ranks: number[];
  temperatures: number[];
}

/** What the cache of keys and values held at each step, and how large it is. */
export interface WireCache {
  causal: boolean;
  cached: number[];
  bytes: number[];
  ends: number[];
  live: number[];
  layers: number;
  heads: number;
  /** Heads of keys and values. */
  kept: number;
  numbers: number;
  element: number;
}

/** A path, step by step. */
export interface WirePath extends WireRanking, WireCache {
  key: string;
  mode: Mode;
  given: boolean;
  isRun: boolean;
  languages: [string, string];
  source: string[];
  vocabulary: Record<string, string>;
  begin: string;
  ids: number[];
  length: number;
  /** Steps whose token is of the prompt. */
  prompt: number;
  finished: boolean;
  forced: boolean[];
  logs: number[];
  totals: number[];
  names: string[];
}

/** Which path is played, from where, and how it is shown. */
export interface WirePlayer {
  path: string;
  mode: Mode;
  at: number;
  /** Temperature, top-k and top-p. */
  shaping: number[];
  /** The same of the sample that is played, then its seed. */
  drawn: number[];
  temperatures: number[];
  lastSeed: number;
  mean: boolean;
  node: number | null;
}

/** One branch, beside the model's choice. */
export interface WireBranch {
  title: string;
  text: string;
  tokens: string[];
  forks: number[];
  differs: boolean[];
  total: number;
  finished: boolean;
}

/** All branches, the model's choice first. */
export interface WireBranches {
  played: number | null;
  branches: WireBranch[];
}

/** The path whose losses are shown. */
export interface WireLosses {
  path: string;
}

/** The hypotheses of a search, a list for each field. */
export interface WireTree {
  id: number[];
  parent: (number | null)[];
  token: string[];
  index: number[];
  logProbability: number[];
  total: number[];
  score: number[];
  kept: boolean[];
  finished: boolean[];
  row: (number | null)[];
  best: number | null;
  steps: number;
  /** What the rows are of: the source, or the prompt. */
  source: string[];
  reads: string;
  penalty: number;
  layers: number;
  heads: number;
}

/** What each depth would write: [depth][step]. */
export interface WireLens {
  path: string;
  names: string[];
  written: string[];
  tops: string[][][];
  shares: number[][][];
  ranks: number[][];
  probabilities: number[][];
}
