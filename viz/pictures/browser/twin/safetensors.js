// Reads the weights of a model as stored on disk, in 8, 16 or 32 bits. A large model keeps this form in memory.

import { hasDecoder } from "./config.js";
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
const NUMBER = 4; // bytes of a float32
/** The suffix of the scales of a matrix in 8 bits, one for each of its rows. */
const SCALE = ".scale";
const LARGE = 100_000; // numbers of a large matrix, as _LARGE in model/checkpoints/weights.py
const MOST_WIDENED = 6_000_000; // maximum size of a model that is computed entirely in float32: 24 MB
// The maximum memory for a model in bytes, because browsers give WebAssembly two to four gigabytes.
const MOST_MEMORY = 2 ** 31;

/** Read a safetensors file into modules, named as in model/. Tied modules share their numbers.
 * @param {ArrayBuffer} file
 * @param {import("./types").Config} config
 * @returns {Pick<import("./types").Model, "config" | "parameters">}
 */
export function readModel(file, config) {
  const bytes = new Uint8Array(file);
  const receiver = receiveModel(bytes, bytes.length, config);
  receiver.put(bytes, 0);
  return receiver.finish();
}

/** Make room for a model whose safetensors file arrives in parts, by the header in its first part.
 * @param {Uint8Array} first the first part
 * @param {number} size the size of the file
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
  const isWhole = apart.length === names.length; // no matrix keeps the form in which it arrived
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
     * @param {number} at the position of the first byte in the file
     */
    put(bytes, at) {
      const skipped = Math.max(0, start - at);
      data.set(bytes.subarray(skipped), at + skipped - start);
    },
    /** Read the model, once all bytes have arrived.
     * @returns {Pick<import("./types").Model, "config" | "parameters">}
     */
    finish() {
      /** @type {Module} */
      const parameters = {};
      const read = createReader(data, header, place);
      for (const name of kept)
        put(parameters, name, stays(header[name]) ? read.asItIs(name) : read.wide(name));
      return { config, parameters: tied(parameters, config) };
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
    /** Read numbers as float32, each row of whole numbers multiplied by its scale. */
    wide(name) {
      const values = inFull(name);
      if (header[name].dtype === "I8") multiplyRows(values, inFull(name + SCALE));
      return values;
    },
    /** Use the numbers in place, in the form in which they arrived. */
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

// A checkpoint stores tied weights once, under the first of their names (model/checkpoints/weights.py). A model of one
// text has one embedding, and a model without predictions has no generator.
function tied(parameters, config) {
  const { source_embedding: source, target_embedding: target, generator } = parameters;
  if (config.tying === "none") return parameters;
  const { weight } = config.tying === "all" && source ? source : target;
  return {
    ...parameters,
    ...(hasDecoder(config) && { target_embedding: { ...target, weight } }),
    ...(config.head !== "none" && { generator: { ...generator, weight } }),
  };
}
