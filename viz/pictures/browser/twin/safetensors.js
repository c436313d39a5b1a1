// Reads the weights of a model as they lie on disk: in 8 or 16 bits, or full. A large model keeps them so.

import { createKernel } from "./kernel.js";
import { half, packed } from "./matrix.js";

/** @typedef {import("./types").Module} Module */
/** @typedef {{dtype: string, shape: number[], data_offsets: [number, number]}} Entry */

const READ = {
  I8: (view, at) => view.getInt8(at),
  F16: (view, at) => half(view.getUint16(at, true)),
  F32: (view, at) => view.getFloat32(at, true),
};
const ARRAYS = { I8: Int8Array, F16: Uint16Array, F32: Float32Array };
const NUMBER = 4; // bytes in float32
/** What follows the name of a matrix in 8 bits: a number for each of its rows. */
const SCALE = ".scale";
const LARGE = 100_000; // numbers of a matrix, as _LARGE in model/checkpoints/weights.py
const MOST_WIDENED = 6_000_000; // numbers of a model that is computed in float32 throughout: 24 MB
// Bytes of memory that a model may take: browsers give WebAssembly two to four gigabytes.
const MOST_MEMORY = 2 ** 31;

/** Read a safetensors file into modules, named as in model/; tied ones share their numbers.
 * @param {ArrayBuffer} file
 * @param {import("./types").Config} config
 */
export function readModel(file, config) {
  const bytes = new Uint8Array(file);
  const receiver = receiveModel(bytes, bytes.length, config);
  receiver.put(bytes, 0);
  return receiver.finish();
}

/** Make room for a model whose safetensors file comes in parts, from its first part, which has the header.
 * @param {Uint8Array} first
 * @param {number} size of the file
 * @param {import("./types").Config} config
 */
export function receiveModel(first, size, config) {
  const { header, start } = headerOf(first);
  const names = Object.keys(header).filter((name) => name !== "__metadata__");
  const kept = names.filter((name) => !name.endsWith(SCALE));
  const numbers = kept.reduce((sum, name) => sum + countOf(header[name]), 0);
  const stays = (entry) =>
    numbers > MOST_WIDENED && entry.shape.length === 2 && countOf(entry) >= LARGE;
  const apart = names.filter((name) => !stays(header[name]));
  const raw = Math.ceil((size - start) / NUMBER);
  const isWhole = apart.length === names.length; // nothing stays as it came
  const widened = apart.reduce((sum, name) => sum + countOf(header[name]), 0);
  const needed = NUMBER * (widened + raw);
  if (needed > MOST_MEMORY) throw new RangeError(`the model takes ${needed} bytes of memory`);
  const kernel = createKernel(widened + (isWhole ? 0 : raw));
  const place = kernel?.place ?? ((count) => new Float32Array(count));
  const room = isWhole ? new Float32Array(raw) : place(raw);
  const data = new Uint8Array(room.buffer, room.byteOffset, size - start);
  return {
    /** Take some bytes of the file.
     * @param {Uint8Array} bytes
     * @param {number} at the place of the first of them in the file
     */
    put(bytes, at) {
      const skipped = Math.max(0, start - at);
      data.set(bytes.subarray(skipped), at + skipped - start);
    },
    /** Read the model, once all bytes are here. @returns {import("./types").Model} */
    finish() {
      /** @type {Module} */
      const parameters = {};
      const read = createReader(data, header, place);
      for (const name of kept)
        put(parameters, name, stays(header[name]) ? read.asItIs(name) : read.wide(name));
      return { config, parameters: tied(parameters, config.tying) };
    },
  };
}

/** @param {Uint8Array} bytes @returns {{header: Record<string, Entry>, start: number}} */
function headerOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = 8 + (bytes.length < 8 ? 0 : Number(view.getBigUint64(0, true)));
  if (start > bytes.length) throw new Error("the first part of the weights must have their header");
  return { header: JSON.parse(new TextDecoder().decode(bytes.subarray(8, start))), start };
}

function countOf({ dtype, data_offsets: [from, to] }) {
  if (!(dtype in ARRAYS)) throw new Error(`weights must be I8, F16 or F32, got ${dtype}`);
  return (to - from) / ARRAYS[dtype].BYTES_PER_ELEMENT;
}

/**
 * @param {Uint8Array} data
 * @param {Record<string, Entry>} header
 * @param {(count: number) => Float32Array} place
 */
function createReader(data, header, place) {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const inFull = (name) => {
    const { dtype, data_offsets: offsets } = header[name];
    const [from] = offsets;
    const read = READ[dtype];
    const size = ARRAYS[dtype].BYTES_PER_ELEMENT;
    const values = place(countOf(header[name]));
    for (let i = 0; i < values.length; i++) values[i] = read(view, from + i * size);
    return values;
  };
  return {
    /** Numbers in float32, each row of whole numbers multiplied by its scale. */
    wide(name) {
      const values = inFull(name);
      if (header[name].dtype === "I8") multiplyRows(values, inFull(name + SCALE));
      return values;
    },
    /** The numbers where they lie. */
    asItIs(name) {
      const { dtype, data_offsets: offsets } = header[name];
      const [from] = offsets;
      const at = data.byteOffset + from;
      if (at % ARRAYS[dtype].BYTES_PER_ELEMENT)
        throw new Error(`${name} must lie at a multiple of the size of its numbers`);
      const codes = new ARRAYS[dtype](data.buffer, at, countOf(header[name]));
      if (dtype === "F32") return codes;
      return packed(codes, dtype === "I8" ? inFull(name + SCALE) : undefined);
    },
  };
}

function multiplyRows(values, scales) {
  const width = values.length / scales.length;
  for (let i = 0; i < values.length; i++) values[i] *= scales[Math.floor(i / width)];
}

function put(parameters, name, values) {
  const path = name.split(".");
  const last = path.pop();
  let module = parameters;
  for (const part of path) {
    module[part] ??= {};
    module = module[part];
  }
  module[last] = values;
}

// A checkpoint has tied weights once, under the first of their names (model/checkpoints/weights.py).
function tied(parameters, tying) {
  const { source_embedding: source, target_embedding: target, generator } = parameters;
  if (tying === "none") return parameters;
  const { weight } = tying === "all" && source ? source : (target ?? source);
  return {
    ...parameters,
    target_embedding: { ...target, weight },
    generator: { ...generator, weight },
  };
}
