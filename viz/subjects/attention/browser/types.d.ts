// One cell with its arithmetic: made by cell_arithmetic.js, drawn by cell.js and cell_words.js.

/** The query or the key. */
export interface Side {
  position: number;
  token: string;
}

export interface Cell {
  /** Path of the attention in the trace. */
  name: string;
  head: number;
  query: Side;
  key: Side;
  weight: number;
  /** Its place among the weights of its row, from 1. */
  rank: number;
  /** How far each step is from float64, in the order of the arithmetic; NaN if it cannot be recomputed. */
  lines: number[];
  /** Names of the lines whose result a person changed. */
  changed: string[];
  /** Largest difference that agrees. */
  tolerance: number;
  score: Score;
  row: Row;
  mix: Mix;
  /** Null of a model whose parameters are not here: what each head writes is not known. */
  output: Output | null;
  /** The heads that read the same keys and values, its own among them. */
  readers: number[];
  /** Whether rotary positions turned the query and the key by their places. */
  turned: boolean;
  /** Whether a decoder's row is named after the token that reads. */
  reads: boolean;
}

/** The products of query and key, and what becomes of their sum. */
export interface Score {
  q: Float32Array;
  k: Float32Array;
  products: Float32Array;
  /** Dimensions, the one with the largest product first. */
  order: number[];
  /** How many of them do not have to be unfolded, and the sum of the other products. */
  shown: number;
  more: number;
  dot: number;
  scaled: number;
  isEdited: boolean;
  isAllowed: boolean;
  masked: number;
  /** What a masked score is replaced by. */
  fill: number;
  /** Null if it is 1 / sqrt(d_k). */
  scale: number | null;
  /** What is added for the distance. */
  bias: number | null;
  /** What scaled products are bent to stay within. */
  softcap: number | null;
}

/** The strongest keys of the row. */
export interface Row {
  size: number;
  keys: number[];
  tokens: string[];
  hidden: number[];
  scores: Float32Array;
  exponentials: Float32Array;
  weights: Float32Array;
  /** How many of them do not have to be unfolded. */
  shown: number;
  /** Weight of all keys that have to be unfolded, and of those that are not listed. */
  more: number;
  others: number;
  largest: number;
  denominator: number;
  /** Keys that the query may read. */
  open: number;
  /** Share that reads nothing. */
  left: number;
}

/** What the key brings to the mix of the row. */
export interface Mix {
  v: Float32Array;
  weighted: Float32Array;
  mix: Float32Array;
  /** Length of its weighted value, of those of all keys together. */
  share: number;
}

/** What the head writes, and all heads together. */
export interface Output {
  own: Float32Array;
  output: Float32Array;
  /** The length of what each head writes. */
  norms: ArrayLike<number>;
  /** The length of the bias. */
  bias: number | null;
  together: number;
}
