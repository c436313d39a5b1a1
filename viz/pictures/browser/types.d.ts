// What the browser's half makes of it: the explorer, and what a picture is given.

import type { Answer } from "./live/types";
import type { Table } from "./saving/table.js";
import type { Model, Trace } from "./twin/types";
import type {
  AttentionKind,
  WireAttention,
  WireMeasures,
  WireRun,
  WireSelection,
  WireStack,
} from "./wire";

/** A table of Arrow as Streamlit gives it. */
export interface ArrowTable<T> {
  getChild(name: string): { toArray(): T };
}

/** Codes of a matrix, row after row; see weights.js. Those of a mean are not whole. */
export interface Matrix {
  rows: number;
  columns: number;
  codes: Uint16Array | Float64Array;
}

export interface Stack extends Omit<WireStack, "offset"> {
  codes: Uint16Array;
  /** Whether every head was sent at full size. */
  whole: boolean;
}

export interface Run extends Omit<WireRun, "run" | "kinds" | "tensors"> {
  kinds: Record<AttentionKind, Stack>;
  /** Heads that were sent whole, by "kind layer head". */
  heads: Map<string, Uint16Array>;
  metrics: Partial<WireMeasures["metrics"]>;
  /** What the heads are there for; null until that was looked for. */
  roles: WireMeasures["roles"];
  /** Whether the model is changed in it. */
  changed: boolean;
  /** The cells that jobs are about; null in a run that the browser's own model made. */
  cases: WireMeasures["cases"] | null;
}

/** A run as the pictures draw it: its tensors by path, whoever computed them. */
export interface Tensors extends Trace {
  /** Facts about each attention, by its path. */
  attentions: Record<string, WireAttention>;
  /** The score that a masked cell gets. */
  fill: number;
  /** Largest relative difference between a number and its recomputation that agrees. */
  tolerance: number;
  /** Those of all heads together; missing if Python sends them a head at a time and no model of the browser's ran. */
  whole?: Trace["tensors"];
  /** Those of each head that was sent alone, by "kind layer head". */
  heads: Map<string, Trace["tensors"]>;
  /** The browser's own model, if it has one. */
  model?: Model;
  /** Everything that the browser's own model made of a text. */
  answer?: Answer;
}

/** The cell under the pointer; over a label a row or a column alone. */
export interface Hover {
  kind: string;
  query?: number;
  key?: number;
}

/** What has changed. */
export type News =
  | "run"
  | "trace"
  | "typed"
  | "measures"
  | "whole_head"
  | "selection"
  | "hover"
  | "asked";

/** A question about what is in view. While it is open, what is chosen in a picture is its answer. */
export interface Asked {
  /** Names of the selection that an answer consists of; none once it is answered. */
  takes: (keyof WireSelection)[];
  /** The kind, layer, head and row that it is about, as far as they are fixed. */
  about: Partial<WireSelection>;
  guess: Partial<WireSelection> | null;
  /** Known only once it is answered. */
  truth: Partial<WireSelection> | null;
  /** Names of the options that a hint has ruled out. */
  out: string[];
  /** A choice that only moves, as by an arrow key, is not the answer yet. */
  take(changes: Partial<WireSelection>, isMove?: boolean): void;
}

export type Trigger = (event: string, value: unknown) => void;

export interface Place {
  name: string;
  host: HTMLElement;
  /** Aborted when the picture leaves the page. */
  signal: AbortSignal;
  listen(listener: (what: News) => void): void;
  /** Let the picture be saved. */
  save(offer: Offer): void;
}

/** A picture as it is saved. */
export interface Offer {
  /** What it is, in words; the file is named after it. */
  name: string;
  /** Its numbers as they are shown now. */
  table?: () => Table | Promise<Table>;
  /** What its file says of where it comes from, beside what is said of the run in view. */
  said?: () => Record<string, unknown>;
  /** What is drawn of it, where that is not all of it. */
  node?: Element;
}

/** How an explorer saves. */
export interface Saving {
  /** Where what is in view comes from; see viz/run/provenance.py. */
  provenance: Record<string, unknown>;
  /** Let Python make something, and give its bytes; null where there is no Python. */
  ask: ((wanted: Record<string, unknown>) => Promise<Uint8Array>) | null;
  /** Give a picture its button, where it offers to be saved. */
  attach(picture: { host: HTMLElement; signal: AbortSignal; offer: Offer | null }): void;
  /** Why something, by its name, may not be saved now; null where it may. */
  covered(name: string): string | null;
}

/** Sets a picture up, once; what it returns is called with each new data. */
export type Setup = (loupe: Loupe, place: Place) => (data: any, trigger: Trigger) => void;

export interface Loupe {
  root: Document | HTMLElement;
  runs: Map<string, Run>;
  /** The tensors of runs, by their keys. */
  traces: Map<string, Tensors>;
  selection: WireSelection | null;
  /** Whether another kind was chosen but no cell of it: Python then finds one that means the same. */
  adrift: boolean;
  hover: Hover | null;
  /** What a lesson asks, or asked, about this run. */
  asked: Asked | null;
  /** Runs what is typed; null on a page without a model. */
  runner: import("./live/types").Runner | null;
  /** Path of the page in view. */
  page: string;
  /** Name of the tensor in view on the page of the map. */
  tensor: string | null;

  /** Tell Python of the selection, of another page: the selection's component sets these. */
  commit(): void;
  go(page: string, changes?: Record<string, unknown>): void;

  /** Where a page is that is no page of the app's; null where it is. */
  link: ((page: string, changes?: Record<string, unknown>) => string) | null;

  /** How pictures are saved; null where they cannot be. */
  saving: Saving | null;

  /** The run in view. */
  run(): Run | undefined;
  /** Which matrices a kind has in the run in view; the selected kind if none is given. */
  stack(kind?: AttentionKind): Stack | undefined;
  /** State that some pictures share: made once for each explorer. */
  part<T>(make: (loupe: Loupe) => T): T;

  select(changes: Partial<WireSelection>): void;
  point(hover: Hover | null): void;
  tell(what: News): void;
  /** Draw again, as they are, the canvases of the pictures that stand in a part of the page or hold it. */
  redraw(node: Node): void;
  /** Draw a picture into an element, or again with other data; returns what cleans up after it. */
  mount(
    name: string,
    setup: Setup,
    given: { data: any; parentElement: HTMLElement; setTriggerValue: Trigger },
  ): () => void;
}
