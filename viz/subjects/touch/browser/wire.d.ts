// What Python sends of the model and of a run that a hand changes: viz/subjects/touch/wire.py says the same.

/** The model in view, for the browser to run it itself. */
export interface WireModel {
  /** Names its weights. */
  key: string;
  address: string;
  config: Record<string, unknown>;
  /** The tokens of the target by their ids. */
  vocabulary: string[];
}

/** One change of the model; see model/intervention.py. */
export interface WireIntervention {
  kind: string;
  name: string;
  head: number | null;
  rows: number[] | null;
  columns: number[] | null;
  amount: number;
  values: number[];
  origin: string;
  origin_rows: number[] | null;
  origin_head: number | null;
}

/** The likeliest tokens of one step of PyTorch's run, with their logits. */
export interface WireLikely {
  ids: number[];
  logits: number[];
}

/** A pull that is worth a try: the row, the key that it reads most, another one. */
export interface WirePull {
  row: number;
  held: number;
  to: number;
}

export interface WireHand {
  run: string;
  before: string;
  /** Name of the weights; empty where the browser has none. */
  model: string;
  source: number[];
  /** None where no encoder reads a source. */
  sourceTokens: string[];
  /** The token that the decoder begins with; empty without one. */
  begin: string;
  /** Steps whose token is of a prompt. */
  prompt: number;
  /** Names of what was written; of a model that only reads, of what it would put at each place. */
  tokens: string[];
  tokensBefore: string[];
  /** Ids that have other tokens in this sentence. */
  named: [number, string][];
  longest: number;
  /** Ids of a target that was given; none where the model writes. */
  given: number[];
  interventions: WireIntervention[];
  written: number[];
  writtenBefore: number[];
  probabilities: number[];
  probabilitiesBefore: number[];
  likely: WireLikely[];
  pull: WirePull | null;
  /** Of the last change that Python knows of. */
  number: number;
}
