// What Python sends of a map: the dictionaries of viz/subjects/map/wire.py say the same.

import type { Kind, Table } from "../../../pictures/browser/wire";

export type Stack = "encoder" | "decoder";
export type Mask = "causal" | "window" | "padding";
export type Place = "rotary" | "alibi" | "relative";
export type Role =
  | "tokens"
  | "embedding"
  | "positions"
  | "segments"
  | "sum"
  | "embedding_norm"
  | "attention"
  | "feed_forward"
  | "norm"
  | "add"
  | "add_norm"
  | "final_norm"
  | "transform"
  | "linear"
  | "output"
  | "candidates";

/** The map, and beside it the codes of its pictures. */
export interface MapParcel {
  meta: WireShownMap;
  codes: Table<Int8Array>;
}

/** One block; what is empty or false of it is not sent. */
export interface WireBlock {
  id: string;
  stack: Stack;
  layer?: number;
  role: Role;
  label: string;
  short: string;
  note?: string;
  tensor: string;
  /** Without the names that begin with the block's own. */
  holds?: string[];
  shape: string;
  /** Its number among the map's sentences. */
  sentence: number;
  pictured?: boolean;
  kind?: Kind;
  masks?: Mask[];
  place?: Place;
  outside?: boolean;
}

/** A small picture of a tensor, and where its codes begin among all. */
export interface WirePicture {
  rows: number;
  columns: number;
  offset: number;
  largest: number;
}

/** The map of a run, wherever it is shown. */
export interface WireMap {
  blocks: WireBlock[];
  layers: Record<Stack, number>;
  widths: Record<Stack, string>;
  heads: number;
  pre_norm: boolean;
  parallel?: boolean;
  ties: [string, string][];
  sentences: string[];
  run: string;
  pictures: Record<string, WirePicture>;
  candidates: [string, number, boolean][][];
  tokens: Record<Stack, string[]>;
  /** Whether the candidates are of the row that reads, as nothing is written. */
  by_row?: boolean;
}

/** The map in one place of a page. */
export interface WireShownMap extends WireMap {
  size: "small" | "large";
  tensor: string | null;
  lit: string[];
}
