// What Python sends of what mattered: the dictionaries of the modules of viz/subjects/mattered say the same.

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
  gold: [number, number][];
  measures: WireMeasure[];
  headings: [string, string];
}
