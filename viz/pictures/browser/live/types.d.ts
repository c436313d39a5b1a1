// The tasks of the browser's own model, and its answers.

import type { Encoding } from "../twin/text/types";
import type { Tensor } from "../twin/types";
import type { AttentionKind, WireIntervention, WireModel, WireStack } from "../wire";

/** A text that is being typed. */
export interface Asked {
  model: WireModel;
  text: string;
  /** The changes that have a meaning in it. */
  interventions: WireIntervention[];
}

/** Runs texts in the browser's own model. */
export interface Runner {
  ask(task: Task, done: (answer: any) => void, fail: (fault: Error) => void): void;
  /** Store an answer of a model among the runs; return false if there is no such model, or no current run. */
  take(answer: Answer, model: WireModel): boolean;
}

/** The tensors from which the numbers of a head are recomputed. The answer is more tensors. */
export interface AskedHead {
  do: "head";
  model: WireModel;
  /** The path of the attention. */
  path: string;
  head: number;
  /** The needed tensors of the run. */
  tensors: Record<string, Tensor>;
}

/** How a path is written. The shaping and the seed are those of a sample. */
export interface Strategy {
  mode: "Greedy" | "Sampling";
  /** With a top-k of 0, all tokens are kept. */
  drawn: { temperature: number; topK: number; topP: number };
  seed: number;
}

/** A path to be written. */
export interface PathAsked {
  model: WireModel;
  /** The source or, without an encoder, the prompt. */
  read: Encoding;
  strategy: Strategy;
  /** The ids after the first with which it has to begin, including those of a prompt; empty if none were chosen. */
  begins: number[];
  /** All ids of the path, if its beginning has been written before. */
  known: number[];
  /** The maximum number of tokens to write after those it begins with; null for as many as in a run. */
  room: number | null;
  /** The temperatures for which a sample's tokens that are not sent are summed up. */
  temperatures: number[];
}

/** A written path, as plain numbers. The names of its tokens follow from the ids. */
export interface PathWritten {
  /** The ids after the first, including those of a prompt. */
  ids: number[];
  /** The number of ids that belong to the prompt. */
  prompt: number;
  /** The text of the ids after the prompt. */
  text: string;
  /** Whether the model ended the path. */
  finished: boolean;
  /** Whether the model could continue. */
  isOpen: boolean;
  logs: number[];
  /** The rank of each token among all tokens, from 1. */
  ranks: number[];
  /** The number of tokens in the vocabulary, and how many of each step are sent. */
  size: number;
  sent: number;
  temperatures: number[];
  /** The most probable tokens, the sums over the others, and the weights as codes, step after step. */
  handed: {
    id: Int32Array;
    logit: Float32Array;
    sum: Float64Array;
    weighted: Float64Array;
    code: Uint16Array;
  };
}

/** A task for the browser's own models: a run, a head, a path, or the steps at which a token has to be forced for a
 * path. */
export type Task =
  | AskedHead
  | ({ do: "run" } & Asked)
  | ({ do: "write" } & PathAsked)
  | ({ do: "forks" } & PathAsked);

/** A message to the executor of tasks: a task, or the number of a task that is no longer wanted. */
export interface Message {
  number: number;
  task?: Task;
  stopped?: boolean;
}

/** What a task can use while it runs. */
export interface Ways {
  /** Aborted once the answer is no longer wanted. */
  signal: AbortSignal;
  /** Report the progress: how many tokens were written, and the end of their text. */
  tell(written: { count: number; text: string }): void;
}

/** A run by the browser: the data that Python sends of a run, and every tensor by its name. */
export interface Answer {
  text: string;
  /** Whether the text is being typed. Otherwise Python ran the same text with other changes. */
  isTyped: boolean;
  /** The changes that were in force. */
  interventions: WireIntervention[];
  read: Encoding;
  /** The ids after the one with which the decoder begins, including those of a prompt; empty without a decoder. */
  written: number[];
  /** The number of ids that belong to a prompt and were not written. */
  prompt: number;
  sentence: string;
  tokens: { source: string[]; target: string[] };
  /** The logits from which each token after the first of the target was chosen or, without a decoder, those of each
   * token that was read; null for a model without predictions. See predictions.js. */
  chosenFrom: Tensor | null;
  tensors: Record<string, Tensor>;
  touched: string[];
  kinds: Record<AttentionKind, WireStack>;
  codes: Uint16Array;
}
