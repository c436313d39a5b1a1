// What Python sends of two runs beside each other: viz/subjects/compare/wire.py says the same.

import type { Kind } from "../../../pictures/browser/wire";

/** One kind of attention: rows and columns in pairs, and by layer and head what moved. */
export interface WireKindChange {
  rows: [number | null, number | null][];
  columns: [number | null, number | null][];
  match: (number | null)[][];
  bits: (number | null)[][][];
  moved: (number | null)[][][];
}

export interface WireComparison {
  runs: [string, string];
  kinds: Record<Kind, WireKindChange>;
  matched: boolean;
  order: "row" | "mean" | "place";
  view: "beside" | "over";
}

export interface WirePairs {
  side: "source" | "target";
  title: string;
  a: string[];
  b: string[];
  pairs: [number | null, number | null][];
}
