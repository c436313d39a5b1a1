// The types of the browser's half: an explorer, and the things that its pictures receive.

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

/** An Arrow table from Streamlit. */
export interface ArrowTable<T> {
  getChild(name: string): { toArray(): T };
}

/** The codes of a matrix, row by row; see weights.js. Codes of a mean are not whole numbers. */
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
  /** Heads that were sent at full size, by "kind layer head". */
  heads: Map<string, Uint16Array>;
  metrics: Partial<WireMeasures["metrics"]>;
  /** The jobs of the heads; null until they have been measured. */
  roles: WireMeasures["roles"];
  /** Whether the model is changed in this run. */
  changed: boolean;
  /** The cells that jobs are about; null in a run of the browser's own model. */
  cases: WireMeasures["cases"] | null;
}

/** A run as the pictures draw it: its tensors by path, wherever they were computed. */
export interface Tensors extends Trace {
  /** Facts about each attention, by its path. */
  attentions: Record<string, WireAttention>;
  /** The score of a masked cell. */
  fill: number;
  /** The largest relative difference between a number and its recomputation at which they agree. */
  tolerance: number;
  /** The tensors of all heads; missing if Python sends one head at a time and no model of the browser ran. */
  whole?: Trace["tensors"];
  /** The tensors of each head that was sent alone, by "kind layer head". */
  heads: Map<string, Trace["tensors"]>;
  /** The browser's own model, if it has one. */
  model?: Model;
  /** Everything that the browser's own model computed for a text. */
  answer?: Answer;
}

/** The cell under the pointer; over a label, a row or a column only. */
export interface Hover {
  kind: string;
  query?: number;
  key?: number;
}

/** The kinds of changes. */
export type News =
  | "run"
  | "trace"
  | "typed"
  | "measures"
  | "whole_head"
  | "selection"
  | "hover"
  | "asked";

/** A question about the view. While it is open, a choice in a picture is its answer. */
export interface Asked {
  /** Names of the parts of the selection that make an answer; empty once it is answered. */
  takes: (keyof WireSelection)[];
  /** The kind, layer, head and row that the question is about, as far as they are fixed. */
  about: Partial<WireSelection>;
  guess: Partial<WireSelection> | null;
  /** The true answer; null until the question is answered. */
  truth: Partial<WireSelection> | null;
  /** Names of the options that a hint has ruled out. */
  out: string[];
  /** Take a choice. One that only moves, as by an arrow key, is not the answer yet. */
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

/** A picture to be saved. */
export interface Offer {
  /** Its name in words, from which the file is named. */
  name: string;
  /** Its numbers as currently shown. */
  table?: () => Table | Promise<Table>;
  /** Its own provenance for the file, in addition to that of the current run. */
  said?: () => Record<string, unknown>;
  /** The element to draw, if not the whole picture. */
  node?: Element;
}

/** How an explorer saves files. */
export interface Saving {
  /** The provenance of the current view; see viz/run/provenance.py. */
  provenance: Record<string, unknown>;
  /** Let Python make a file, and return its bytes; null without Python. */
  ask: ((wanted: Record<string, unknown>) => Promise<Uint8Array>) | null;
  /** Give a picture its save button, if it offers to be saved. */
  attach(picture: { host: HTMLElement; signal: AbortSignal; offer: Offer | null }): void;
  /** Return why the thing with a name must not be saved now, or null if it may. */
  covered(name: string): string | null;
}

/** Sets a picture up once; the function that it returns is called with all new data. */
export type Setup = (loupe: Loupe, place: Place) => (data: any, trigger: Trigger) => void;

export interface Loupe {
  root: Document | HTMLElement;
  runs: Map<string, Run>;
  /** The tensors of runs, by their keys. */
  traces: Map<string, Tensors>;
  selection: WireSelection | null;
  /** Whether another kind was chosen without a cell of it. Python then finds a cell that means the same. */
  adrift: boolean;
  hover: Hover | null;
  /** The question of a lesson about this run, open or answered. */
  asked: Asked | null;
  /** Runs the typed text; null on a page without a model. */
  runner: import("./live/types").Runner | null;
  /** The path of the current page. */
  page: string;
  /** The name of the tensor that is shown on the map's page. */
  tensor: string | null;

  /** Tell Python about the selection, or about another page. The selection's component sets these. */
  commit(): void;
  go(page: string, changes?: Record<string, unknown>): void;

  /** Return the address of a page outside the app; null in the app. */
  link: ((page: string, changes?: Record<string, unknown>) => string) | null;

  /** How pictures are saved; null if they cannot be saved. */
  saving: Saving | null;

  /** Return the current run. */
  run(): Run | undefined;
  /** Return the matrices of a kind in the current run, by default of the selected kind. */
  stack(kind?: AttentionKind): Stack | undefined;
  /** Return state that some pictures share, which is made once for each explorer. */
  part<T>(make: (loupe: Loupe) => T): T;

  select(changes: Partial<WireSelection>): void;
  point(hover: Hover | null): void;
  tell(what: News): void;
  /** Draw again the canvases of all pictures inside a part of the page or around it. */
  redraw(node: Node): void;
  /** Draw a picture into an element, or draw it again with new data. Return the function that cleans up after it. */
  mount(
    name: string,
    setup: Setup,
    given: { data: any; parentElement: HTMLElement; setTriggerValue: Trigger },
  ): () => void;
}
