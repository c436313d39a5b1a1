// What the browser's own model is asked, and what it answers.

import type { Encoding } from "../twin/text/types";
import type { Tensor } from "../twin/types";
import type { AttentionKind, WireIntervention, WireModel, WireStack } from "../wire";

/** A text that is being typed. */
export interface Asked {
  model: WireModel;
  text: string;
  /** Changes that mean something in it. */
  interventions: WireIntervention[];
}

/** What is asked of the browser's own models. */
export type Task = ({ do: "run" } & Asked) | AskedHead;

/** What the numbers of a head are recomputed from; answered by tensors. */
export interface AskedHead {
  do: "head";
  model: WireModel;
  /** Of the attention. */
  path: string;
  head: number;
  /** Those of the run that are needed. */
  tensors: Record<string, Tensor>;
}

/** A run that the browser made: what Python sends of one, and every tensor by its name. */
export interface Answer {
  text: string;
  /** Whether it is being typed; else Python ran the same text, with other changes. */
  isTyped: boolean;
  /** Changes that were in force. */
  interventions: WireIntervention[];
  read: Encoding;
  /** Ids after the one that the decoder begins with, those of a prompt included; none without a decoder. */
  written: number[];
  /** How many of them are of a prompt, not written. */
  prompt: number;
  sentence: string;
  tokens: { source: string[]; target: string[] };
  /** The logits from which each token after the first of the target was chosen; without a decoder, those of each token
   * that was read; null of a model that predicts nothing. See predictions.js. */
  chosenFrom: Tensor | null;
  tensors: Record<string, Tensor>;
  touched: string[];
  kinds: Record<AttentionKind, WireStack>;
  codes: Uint16Array;
}
