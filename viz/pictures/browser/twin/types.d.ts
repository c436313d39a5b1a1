// What the twin of the model is made of and gives: named as in model/, of which it is the other half.

/** Numbers along three axes: heads, rows, columns. What has no heads has one. */
export interface Tensor {
  heads: number;
  rows: number;
  columns: number;
  data: Float32Array;
}

/** The fields of model/config.py that the arithmetic asks for. */
export interface Config {
  pad_id: number;
  d_model: number;
  n_heads: number;
  d_k: number;
  d_v: number;
  n_encoder_layers: number;
  n_decoder_layers: number;
  max_length: number;
  norm_placement: "post" | "pre";
  norm: "layer" | "unbiased_std";
  norm_eps: number;
  positions: "sinusoidal" | "double_sine" | "single_frequency" | "learned" | "none";
  scale_embeddings: boolean;
  tying: "none" | "decoder" | "all";
  /** "-inf" where it is that. */
  mask_fill: number | "-inf";
  causal_mask: boolean;
  encoder_padding_mask: boolean;
  decoder_padding_mask: boolean;
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
}

export interface KeyValue {
  key: Tensor;
  value: Tensor;
}

/** Keys and values that decoding goes on from: of each layer. */
export interface Cache {
  length: number;
  self_attn: KeyValue[];
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

/** A source as the encoder gives it, before anything is written. */
export interface Begun {
  encoded: { memory: Tensor; weights: Weights };
  empty: Cache;
}

/** What was written for a source, and how; another translation may go on from it. */
export interface Translation extends Begun {
  /** Ids after `<s>`, with `</s>` where the model ended. */
  ids: number[];
  /** For each of them the logits that it was chosen from. */
  logits: Float32Array[];
  weights: Weights;
  steps: { token: number; logits: Float32Array; weights: Weights; cache: Cache }[];
}
