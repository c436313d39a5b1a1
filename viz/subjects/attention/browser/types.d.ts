// What a cell is computed from.

import type { Tensor } from "../../../pictures/browser/twin/types";

/** What some heads of one attention captured, and what they write through: see model/traces.py. */
export interface Attention {
  /** Its path in the trace. */
  name: string;
  heads: number[];
  /** Of each head of the layer, whose keys and values it reads. */
  keyHeads: number[];
  /** Of which of these keys and values are here. */
  read: number[];
  scale: number;
  softcap: number | null;
  /** What stands in place of a masked score. */
  fill: number;
  /** Whether a change replaced the scores. */
  edited: boolean;
  /** Names of the lines whose result a person changed. */
  changed: string[];
  /** Whether a row may leave some of its weight unread. */
  sinks: boolean;
  query: Tensor;
  key: Tensor;
  value: Tensor;
  scores: Tensor;
  weights: Tensor;
  mask: Tensor;
  /** Of all heads of the layer. */
  mixes: Tensor;
  output: Tensor;
  /** Null of a model that gives no parameters. */
  projection: Tensor | null;
  bias: Float32Array | null;
  /** To the scores, for the distance. */
  added: Tensor | null;
  /** How far a projected vector is from one computed again, where its input is known. */
  projected?(
    part: "query" | "key" | "value",
    head: number,
    at: number,
    shown: Float32Array,
  ): number;
}
