// What Python sends of a training that plays: the dictionaries of viz/subjects/training/wire.py say the same.

/** The loss and the learning rate of single steps. */
export interface WireLosses {
  steps: number[];
  values: number[];
  rates: number[];
}

/** How often one head looked at the gold token, at each snapshot. */
export interface WireScores {
  layer: number;
  head: number;
  values: number[];
}

/** A training at its snapshots, and the head in view. */
export interface WireLapse {
  steps: number[];
  total: number;
  written: string[];
  right: boolean[];
  loss: WireLosses;
  heldOut: number[];
  exact: number[];
  alignment: WireScores[];
  chance: number | null;
  kind: string;
  name: string;
  layers: number;
  heads: number;
  rowTokens: string[];
  columnTokens: string[];
  rowTitle: string;
  columnTitle: string;
  layer?: number;
  head?: number;
  at?: number | null;
  follow?: boolean;
}
