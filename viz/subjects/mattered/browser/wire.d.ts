// What Python sends of cuts and of patched cells: the dictionaries of viz/subjects/mattered/wire.py say the same.

import type { Kind } from "../../../pictures/browser/wire";

export type Fate = "same" | "new" | "gone";

/** One part of the model, and what is lost without it. */
export interface WireCut {
  stack: string;
  layer: number;
  sublayer: string;
  kind: Kind | null;
  head: number | null;
  name: string;
  line: string;
  damage: number;
  short: string;
  said: string;
  changed: boolean;
  stretches: [Fate, string][] | null;
}

/** Every part, in the order of the model. */
export interface WireCuts {
  of: string;
  cuts: WireCut[];
  chosen: number;
  keep: string;
}

/** Cells of one tensor or stage by positions. */
export interface WireGrid {
  title: string;
  rows: string[];
  columns: string[];
  offset: number;
}

export interface WireGrids {
  heading: string;
  note: string;
  grids: WireGrid[];
}

/** All patched cells of two sentences. */
export interface WirePatching {
  groups: WireGrids[];
  answer: string;
  other: string;
}

/** One measure: its words, how far it agrees, and its rows as far as they are known. */
export interface WireMeasure {
  name: string;
  group: string;
  label: string;
  what: string;
  formula: string;
  origin: string;
  swap: string;
  gold: string;
  isBelow: boolean;
  rows: ((number | null)[] | null)[];
}

/** All measures of a run. */
export interface WireMattered {
  run: string;
  source: string[];
  written: string[];
  /** What of the selection says which of them is in view. */
  by: "step" | "query";
  gold: [number, number][];
  measures: WireMeasure[];
  headings: [string, string];
}
