// What the hand's picture makes of a run.

import type { Translation, Weights } from "../../../pictures/browser/twin/types";
import type {
  AttentionKind,
  WireCandidate,
  WireInputs,
  WireIntervention,
} from "../../../pictures/browser/wire";
import type { WireHand } from "./wire";

/** What was written in a run, or what a model that only reads puts at each place. */
export interface Written {
  ids: number[];
  tokens: string[];
  probabilities: number[];
  /** The most probable tokens of each step. */
  candidates: Pick<WireCandidate, "id" | "probability">[][];
}

/** What the browser's own model runs once more. */
export type Ran = Pick<WireInputs, "model" | "text" | "source" | "longest">;

/** The two runs that a hand works on: one with the changes in force, and the same without any. */
export interface Pair extends WireHand {
  /** Null where the browser cannot run it. */
  ran: Ran | null;
  /** None where no encoder reads a source. */
  sourceTokens: string[];
  /** The token that the decoder begins with; empty without one. */
  begin: string;
  /** Whether the target was given; else the model wrote it. */
  isGiven: boolean;
  now: Written;
  was: Written;
}

/** What the model wrote, and how. */
export interface Frame {
  ids: number[];
  tokens: string[];
  /** Of each token that was written. */
  probabilities: number[];
  /** Of each step; none where PyTorch's run is shown, not the twin's. */
  logits: Float32Array[] | null;
  weights: Weights;
  /** As the twin wrote it, to go on from. */
  translation: Translation | null;
}

/** Which heads a hand holds. */
export type Scope = "all" | "layer" | "head";

export type Tool = "pull" | "paint" | "cut";

/** The row that is in view, and the heads. */
export interface Place {
  kind: AttentionKind;
  scope: Scope;
  layer: number;
  head: number;
  row: number;
  key: number;
}

/** A line on its way to another key. */
export interface Pulled {
  held: number;
  to: number;
  amount: number;
}

/** A token that was written, over one that stood there before. */
export interface Cell {
  row: number | null;
  token: string | null;
  ghost: string | null;
  /** Whether it stands there now and did not before, or the other way round. */
  isNew: boolean;
}

export interface Said {
  text: string;
  /** What would help, and what it does. */
  offer: { words: string; changes: WireIntervention[] } | null;
}

/** All that the board draws. */
export interface Scene {
  data: Pair;
  place: Place;
  /** The word of the row, without what is only tried. */
  reader: string;
  tool: Tool;
  shown: Frame;
  before: Frame;
  keys: string[];
  weights: number[];
  cut: Set<number>;
  cells: Cell[];
  pulled: Pulled | null;
  isBefore: boolean;
}
