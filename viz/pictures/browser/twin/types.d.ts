// What the twin of the model is made of and gives: named as in model/, of which it is the other half.

/** Numbers along three axes: heads, rows, columns. What has no heads has one. */
export interface Tensor {
  heads: number;
  rows: number;
  columns: number;
  data: Float32Array;
}

/** The fields of model/config.py: config.js has those that a file may leave out. */
export interface Config {
  source_vocab_size: number;
  target_vocab_size: number;
  pad_id: number;
  padding_by_id: boolean;
  d_model: number;
  d_ff: number;
  n_heads: number;
  /** 0 if every query head has keys and values of its own. */
  n_kv_heads: number;
  d_k: number;
  d_v: number;
  n_encoder_layers: number;
  n_decoder_layers: number;
  norm_placement: "post" | "pre" | "parallel";
  final_norm: boolean;
  norm: "layer" | "unbiased_std" | "rms";
  norm_eps: number;
  attention_bias: boolean;
  attention_output_bias: boolean;
  /** null for 1 / sqrt(d_k). */
  score_scale: number | null;
  window: number;
  activation: "relu" | "gelu" | "gelu_tanh" | "silu";
  gated: boolean;
  feed_forward_bias: boolean;
  positions:
    | "sinusoidal"
    | "double_sine"
    | "single_frequency"
    | "sinusoidal_halves"
    | "learned"
    | "rotary"
    | "alibi"
    | "relative"
    | "none";
  max_length: number;
  position_offset: number;
  positions_skip_padding: boolean;
  rotary_share: number;
  rotary_base: number;
  rotary_factor: number;
  rotary_context: number;
  rotary_low: number;
  rotary_high: number;
  relative_buckets: number;
  relative_max_distance: number;
  segments: number;
  embedding_norm: boolean;
  scale_embeddings: boolean;
  tying: "none" | "decoder" | "all";
  head: "linear" | "transform" | "none";
  generator_bias: boolean;
  scale_logits: boolean;
  /** "-inf" where it is that. */
  mask_fill: number | "-inf";
  causal_mask: boolean;
  encoder_padding_mask: boolean;
  decoder_padding_mask: boolean;
  target_padding_mask: boolean;
  output: "logits" | "log_softmax" | "softmax";
}

/** The rules for the tokens that a model may write: see model/writing.py. */
export interface WritingRules {
  /** The token with which every text begins, after the start token. */
  first: number | null;
  /** The token at the last possible place of a text. */
  last: number | null;
  /** The tokens that no text may contain. */
  never: number[];
}

/** How a model writes. */
export interface Writing {
  /** The id with which the decoder of an encoder-decoder begins; null if nobody said it. */
  start: number | null;
  /** The ids that each end a text. */
  stops: number[];
  rules: WritingRules;
}

/** What self-attention is told of positions, apart from its input. */
export interface Where {
  /** By which rotary positions rotate queries and keys: a row for each new position. */
  angles: Tensor | null;
  /** What is added to the scores of each head. */
  bias: Tensor | null;
}

/** A matrix as it travels: whole numbers in 8 bits, with the scale of each row, or the bits of float16, without. */
export interface Packed {
  codes: Int8Array | Uint16Array;
  scales?: Float32Array;
  length: number;
  /** Where the codes lie. */
  buffer: ArrayBufferLike;
}

/** Row after row. Only matrix.js and the kernel read the numbers of one that may be packed. */
export type Matrix = Float32Array | Packed;

/** A module's parameters, by the names of model/: modules in modules, vectors and matrices row after row. */
export interface Module {
  weight?: any; // a vector, or a Matrix
  bias?: Float32Array;
  [name: string]: any;
}

/** The heavy products of a model, in WebAssembly. */
export interface Kernel {
  /** Make room for so many parameters in float32, or for as many bytes. */
  place(size: number): Float32Array;
  /** Whether a matrix of so many numbers can be copied in, with a row of its product. */
  fits(size: number, width: number): boolean;
  /** Compute x W^T + b for each row of x. A bias lies in the kernel's memory; a matrix in float32 may be copied in. */
  linear(
    x: Float32Array,
    columns: number,
    weight: Matrix,
    bias: Float32Array | undefined,
    y: Float32Array,
  ): void;
  /** Compute, for each row of shares, the sum of the values by these shares. */
  mix(shares: Float32Array, values: Float32Array, columns: number, y: Float32Array): void;
  /** Compute the sum of e^(x - largest), where no number is larger. */
  exponentials(x: Float32Array, largest: number): number;
}

export interface Model {
  config: Config;
  parameters: Module;
  writing: Writing;
}

/** One change, with the fields of model/interventions/kinds.py. */
export interface Intervention {
  kind: string;
  name: string;
  head: number | null;
  rows: number[] | null;
  columns: number[] | null;
  amount: number;
  values: number[];
  origin: string;
  origin_rows: number[] | null;
  origin_head: number | null;
}

/** What a kind of change does, in the words of its class in model/interventions/kinds.py. */
export interface Kind {
  /** Changes a row in place. */
  change?(
    row: Float32Array,
    made: Intervention,
    at: { head: number; position: number; from: Tensor | undefined },
  ): void;
  ofColumns?: boolean;
  ofMask?: boolean;
  isBypass?: boolean;
  /** The tensor that is changed, by the name of the one that is meant. */
  acted?(name: string): string;
  needsAllRows?(made: Intervention): boolean;
  fits?(made: Intervention): boolean;
}

/** What changes tensors as they are computed. */
export interface Edits {
  /** Whether each pass has to compute all rows. */
  needAllRows: boolean;
  /** Whether some change concerns the tensor of a name. */
  touches(name: string): boolean;
  /** Change the tensor of a name, whose first row is the position `start`. */
  apply(name: string, value: Tensor, start?: number, bypass?: Tensor): Tensor;
  /** Take note of a tensor that no change concerns. */
  keep(name: string, value: Tensor): void;
}

export interface KeyValue {
  key: Tensor;
  value: Tensor;
}

/** Keys and values that decoding goes on from: of each layer. */
export interface Cache {
  length: number;
  self_attn: KeyValue[];
  /** None without an encoder. */
  cross_attn: KeyValue[];
}

/** All tensors of one pass over a source and a finished target, by name: see model/traces.py. */
export interface Trace {
  tensors: Record<string, Tensor>;
  /** Names of those that a change concerns. */
  touched: string[];
}

/** Weights by the name of the tensor, as a trace has them. */
export type Weights = Record<string, Tensor>;

/** A source as the encoder gives it, before anything is written; a model without an encoder has none. */
export interface Begun {
  encoded: { memory: Tensor; weights: Weights } | null;
  empty: Cache;
}

/** What was written for a source, and how; another translation may go on from it. */
export interface Translation extends Begun {
  /** Ids after the first of the target, those of a prompt included, with `</s>` where the model ended. */
  ids: number[];
  /** For each of them the logits that it was chosen from. */
  logits: Float32Array[];
  weights: Weights;
  /** The cache of a step may reach further, if several were computed in one pass. */
  steps: { token: number; logits: Float32Array; weights: Weights; cache: Cache }[];
}
