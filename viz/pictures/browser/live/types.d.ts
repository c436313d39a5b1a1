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

/** Runs texts in the browser's own model. */
export interface Runner {
  ask(task: Task, done: (answer: any) => void, fail: (fault: Error) => void): void;
  /** Put an answer of a model among the runs; false if there is no such model, or no run in view. */
  take(answer: Answer, model: WireModel): boolean;
}

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

/** How a path is written: the shaping and the seed are those of a sample. */
export interface Strategy {
  mode: "Greedy" | "Sampling";
  /** A top-k of 0 keeps all tokens. */
  drawn: { temperature: number; topK: number; topP: number };
  seed: number;
}

/** A path that is to be written. */
export interface PathAsked {
  model: WireModel;
  /** The source or, without an encoder, the prompt. */
  read: Encoding;
  strategy: Strategy;
  /** Ids after the first that it has to begin with, those of a prompt included; empty if none was taken. */
  begins: number[];
  /** All ids of it, if its beginning was written before. */
  known: number[];
  /** Tokens that are written at most after those it begins with; null for as many as in a run. */
  room: number | null;
  /** Those for which a sample's tokens that are not sent are summed up. */
  temperatures: number[];
}

/** A path that was written, as plain numbers: the names of its tokens follow from the ids. */
export interface PathWritten {
  /** Ids after the first, those of a prompt included. */
  ids: number[];
  /** How many of them are of the prompt. */
  prompt: number;
  /** What those after the prompt are written as. */
  text: string;
  /** Whether the model ended it. */
  finished: boolean;
  /** Whether the model could write on. */
  isOpen: boolean;
  logs: number[];
  /** Of each token among all, from 1. */
  ranks: number[];
  /** How many tokens there are, and how many of each step are sent. */
  size: number;
  sent: number;
  temperatures: number[];
  /** The most probable tokens, the sums of the others, and the weights as codes, step after step. */
  handed: {
    id: Int32Array;
    logit: Float32Array;
    sum: Float64Array;
    weighted: Float64Array;
    code: Uint16Array;
  };
}

/** What is asked of the browser's own models: a run, a head, a path, or the steps at which a token has to be taken for a
 * path. */
export type Task =
  | AskedHead
  | ({ do: "run" } & Asked)
  | ({ do: "write" } & PathAsked)
  | ({ do: "forks" } & PathAsked);

/** A message to what does the tasks: one that is to be done, or that nobody wants any more. */
export interface Message {
  number: number;
  task?: Task;
  stopped?: boolean;
}

/** What a task has while it is done. */
export interface Ways {
  /** Aborted once nobody wants the answer. */
  signal: AbortSignal;
  /** Tell how far it is: how many tokens were written, and the end of their text. */
  tell(written: { count: number; text: string }): void;
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
