// What Python sends and the browser reads: the dictionaries of viz/run/wire.py and the modules of viz/pictures say the same.

export type Kind = "encoder self-attention" | "decoder self-attention" | "cross-attention";

/** A table of Arrow as Streamlit gives it. */
export interface Table<T> {
  getChild(name: string): { toArray(): T };
}

/** All heads of one kind of attention. */
export interface WireStack {
  name: string;
  layers: number;
  heads: number;
  rows: number;
  columns: number;
  queries: ["source" | "target", number];
  keys: ["source" | "target", number];
  drawn: number[];
  offset: number;
}

export interface WireRun {
  run: string;
  kinds: Record<Kind, WireStack>;
  tokens: Record<"source" | "target", string[]>;
  ids: Record<"source", number[]>;
  probabilities: number[];
  given: boolean;
  languages: [string, string];
  axes: Record<Kind, [string, string]>;
  gold: [number, number][] | null;
  /** Written tokens begin after so many steps: those before are of the prompt. */
  prompt?: number;
  /** Names of the tokens that are no words, where they are not `<s>`, `</s>`, `<pad>` and `<unk>`. */
  specials?: string[];
}

/** The job of a head over other sentences. */
export interface WireRole {
  job: string;
  rate: number;
  chance: number;
}

/** The jobs of all heads by layer and head; null where no single one was found. */
export interface WireRoles {
  sentences: number;
  heads: Record<Kind, (WireRole | null)[][]>;
}

export interface WireMeasures {
  run: string;
  metrics: Record<Kind, Record<string, (number | null)[][]>>;
  roles: WireRoles | null;
}

export interface WireHead {
  run: string;
  kind: Kind;
  layer: number;
  head: number;
}

export interface WirePanel {
  title: string;
  code: string;
  note: string;
  scale: "weights" | "signed" | "mask";
  largest: number;
  group: string;
  axes: [string, string];
  rows: number;
  columns: number;
  rowTokens: string[] | null;
  columnTokens: string[] | null;
  rowTitle: string;
  columnTitle: string;
  offset: number;
  masked: number | null;
  marks: [number, number][];
  first: [number, number];
  selects: boolean;
}

export interface WirePanels {
  panels: WirePanel[];
  selects: boolean;
  width: number;
  height: number;
  cell: number;
}

export interface WireSelection {
  run: string;
  kind: Kind;
  layer: number;
  head: number;
  query: number;
  key: number;
  step: number;
}

export interface WireDisplay {
  shows: "head" | "mean" | "maximum";
  lines: number;
  gold: boolean;
  order: string;
  combined: boolean;
}

export interface WireChoice {
  selection: WireSelection;
  display: WireDisplay;
  number: number;
  page: string;
}

/** The words that a model knows, the most frequent first, and the part of speech of each. */
export interface WireVocabulary {
  words: string[];
  parts: number[];
  names: string[];
  whole: boolean;
  carries: boolean;
}

/** A source that was read, and where it has unknown words and some that are carried over. */
export interface WireJudged {
  text: string;
  unknown: [number, number][];
  carried: [number, number][];
}

/** The pages by URL and title, and the URL of the one in view. */
export interface WirePager {
  pages: [string, string][];
  current: string;
}

/** Who can open the pages of this server: `number` is this machine's in its network. */
export interface WireReach {
  local: boolean;
  number: string | null;
}

/** A text as a QR code: its modules along a side, and the dark ones as the path of an SVG. */
export interface WireCode {
  text: string;
  size: number;
  path: string;
  most: number;
}

/** What turns a view into a slide and a slide into an address. */
export interface WireDeck {
  pages: [string, string][];
  models: Record<string, string>;
  first: string;
  base: string;
  inputs: Record<string, string>;
}

/** What a lecture is given with. */
export interface WireSlides extends WireDeck {
  reach: WireReach;
  code: WireCode | null;
}

/** Words of two texts that are written over one another: the same, gone or new. */
export interface WireStretch {
  fate: string;
  text: string;
}

/** One change of the run in view, in words. */
export interface WireChange {
  text: string;
  on: boolean;
  /** Whether it means anything in this run. */
  applies: boolean;
}

/** All changes of the run in view, and what they did to its output. */
export interface WireChanges {
  /** Keys of the run in view and of the same one without changes. */
  run: string;
  before: string;
  changes: WireChange[];
  stretches: WireStretch[];
  /** What they did, in words. */
  said: string;
  /** Names of numbers of the output, and what they were before and are now. */
  numbers: [string, string, string][];
  undo: boolean;
  redo: boolean;
}

/** A term of the glossary. */
export interface WireTerm {
  key: string;
  group: string;
  name: string;
  text: string;
}

/** A small map: weights row after row, in hundredths. */
export interface WirePicture {
  rows: number;
  columns: number;
  weights: number[];
}

/** One thing that may be clicked; its weight only once the question was answered. */
export interface WireOption {
  name: string;
  text: string;
  weight: number | null;
  /** What is to be told apart, where that is pictures. */
  picture: WirePicture | null;
}

/** What is said after an answer. */
export interface WireVerdict {
  guess: string;
  sure: string;
  helped: boolean;
  right: boolean;
  truth: string;
  sentence: string;
  wrong: string;
  why: string;
}

/** One step of a lesson. */
export interface WireLesson {
  lesson: string;
  part: number;
  parts: number;
  language: string;
  title: string;
  prompt: string;
  /** The sentence, where it is no choice itself. */
  source: string[];
  /** What was written before what is asked. */
  written: string;
  /** The word after those: a question mark while it is asked about; empty where none is. */
  following: string;
  surface: "key" | "row" | "head" | "chip" | "number" | "order" | null;
  options: WireOption[];
  /** Kind, layer, head and row of the selection that are asked about. */
  about: Record<string, string | number>;
  /** Those that were shown. */
  hints: string[];
  /** Whether there is another hint. */
  more: boolean;
  /** Options that a hint has ruled out. */
  out: string[];
  verdict: WireVerdict | null;
  /** Whether the lesson ends here. */
  last: boolean;
  /** Whether the run in view is what the step is about. */
  there: boolean;
  /** Whether of the page only the picture that is asked about is shown. */
  small: boolean;
  /** Whether anything of the run is covered. */
  hides: boolean;
  presenting: boolean;
  /** Title of the lesson after it, where one is. */
  next: string;
  /** Whether the ten rows come after it. */
  exam: boolean;
}

/** What can be saved of the run in view, and the answer to what was asked for last. */
export interface WireSaving {
  provenance: Record<string, unknown>;
  /** Bytes that a page of it takes, about; null where it is too large for one. */
  offline: number | null;
  /** Of the question that is answered here; 0 of none. */
  number: number;
  /** Why there is no file. */
  failed: string;
}
