// The types of the twin, named as in model/, of which it is the other half.

/** Numbers along three axes: heads, rows, columns. A tensor without heads has one. */
export interface Tensor {
  heads: number;
  rows: number;
  columns: number;
  data: Float32Array;
}

/** The fields of model/config.py. config.js has the values of those that a file may leave out. */
export interface Config {
  source_vocab_size: number;
  target_vocab_size: number;
  pad_id: number;
  padding_by_id: boolean;
  d_model: number;
  d_ff: number;
  n_heads: number;
  /** 0 if every query head has its own keys and values. */
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
  /** "-inf" stands for minus infinity. */
  mask_fill: number | "-inf";
  causal_mask: boolean;
  encoder_padding_mask: boolean;
  decoder_padding_mask: boolean;
  target_padding_mask: boolean;
  output: "logits" | "log_softmax" | "softmax";
}

/** The rules for the tokens that a model may write; see model/writing.py. */
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
  /** The id with which the decoder of an encoder-decoder begins; null if unknown. */
  start: number | null;
  /** The ids that each end a text. */
  stops: number[];
  rules: WritingRules;
}

/** The positions as self-attention receives them, apart from its input. */
export interface Where {
  /** The angles by which rotary positions rotate queries and keys, with a row for each new position. */
  angles: Tensor | null;
  /** The bias that is added to the scores of each head. */
  bias: Tensor | null;
}

/** A matrix as sent: whole numbers in 8 bits with a scale for each row, or the bits of float16 without scales. */
export interface Packed {
  codes: Int8Array | Uint16Array;
  scales?: Float32Array;
  length: number;
  /** The memory that holds the codes. */
  buffer: ArrayBufferLike;
}

/** A matrix, row by row. Only matrix.js and the kernel read the numbers of one that may be packed. */
export type Matrix = Float32Array | Packed;

/** A module's parameters, by the names of model/. Modules contain modules, and vectors or matrices row by row. */
export interface Module {
  weight?: any; // a vector, or a Matrix
  bias?: Float32Array;
  [name: string]: any;
}

/** The large products of a model, in WebAssembly. */
export interface Kernel {
  /** Reserve memory for a number of parameters in float32, or for as many bytes. */
  place(size: number): Float32Array;
  /** Return whether a matrix with this many numbers can be copied in, together with a row of its product. */
  fits(size: number, width: number): boolean;
  /** Compute x W^T + b for each row of x. A bias must be in the kernel's memory; a float32 matrix may be copied in. */
  linear(
    x: Float32Array,
    columns: number,
    weight: Matrix,
    bias: Float32Array | undefined,
    y: Float32Array,
  ): void;
  /** Compute, for each row of shares, the sum of the values weighted by these shares. */
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

/** The effect of a kind of change, with the names of its class in model/interventions/kinds.py. */
export interface Kind {
  /** Change a row in place. */
  change?(
    row: Float32Array,
    made: Intervention,
    at: { head: number; position: number; from: Tensor | undefined },
  ): void;
  ofColumns?: boolean;
  ofMask?: boolean;
  isBypass?: boolean;
  /** Return the name of the tensor that is really changed for a named one. */
  acted?(name: string): string;
  needsAllRows?(made: Intervention): boolean;
  fits?(made: Intervention): boolean;
}

/** The changes of tensors while they are computed. */
export interface Edits {
  /** Whether each pass has to compute all rows. */
  needAllRows: boolean;
  /** Return whether some change concerns the tensor with a name. */
  touches(name: string): boolean;
  /** Change the tensor with a name, whose first row is the position `start`. */
  apply(name: string, value: Tensor, start?: number, bypass?: Tensor): Tensor;
  /** Note a tensor that no change concerns. */
  keep(name: string, value: Tensor): void;
}

export interface KeyValue {
  key: Tensor;
  value: Tensor;
}

/** The keys and values of each layer, from which decoding continues. */
export interface Cache {
  length: number;
  self_attn: KeyValue[];
  /** Empty without an encoder. */
  cross_attn: KeyValue[];
}

/** All tensors of one pass over a source and a finished target, by name; see model/traces.py. */
export interface Trace {
  tensors: Record<string, Tensor>;
  /** The names of the tensors that a change concerns. */
  touched: string[];
}

/** Weights by the name of their tensor in a trace. */
export type Weights = Record<string, Tensor>;

/** A source as the encoder returns it, before anything is written. A model without an encoder has none. */
export interface Begun {
  encoded: { memory: Tensor; weights: Weights } | null;
  empty: Cache;
}

/** The text written for a source, with its steps, from which another translation may continue. */
export interface Translation extends Begun {
  /** The ids after the first of the target, including those of a prompt, and `</s>` if the model ended. */
  ids: number[];
  /** The logits from which each id was chosen. */
  logits: Float32Array[];
  weights: Weights;
  /** The cache of a step may contain later positions, too, if several steps were computed in one pass. */
  steps: { token: number; logits: Float32Array; weights: Weights; cache: Cache }[];
}
