// What Python sends of the two heads that copy: viz/subjects/induction/wire.py says the same.

/** One of the two heads: its name, and what each row of it reads. */
export interface WireReader {
  name: string;
  /** Of each row, in thousandths. */
  weights: number[][];
}

/** A text that repeats itself, and two heads that read it. */
export interface WireTrick {
  run: string;
  /** The token of each row. */
  tokens: string[];
  /** Of each row, the places after earlier copies of its token. */
  followers: number[][];
  /** The head that reads what followed the copies. */
  copier: WireReader;
  /** The head below it that reads the token before; null where there is none below. */
  before: WireReader | null;
  likeliest: string[];
  chances: number[];
  /** The row to begin with. */
  row: number;
}
