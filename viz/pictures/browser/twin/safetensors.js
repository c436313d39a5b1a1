// Reads the weights of a checkpoint as they lie on disk: in 8 or 16 bits, or full.

import { hasDecoder } from "./config.js";
import { createKernel } from "./kernel.js";

/** @typedef {import("./types").Module} Module */

const READ = {
  I8: (view, at) => view.getInt8(at),
  F16: (view, at) => half(view.getUint16(at, true)),
  F32: (view, at) => view.getFloat32(at, true),
};
const BYTES = { I8: 1, F16: 2, F32: 4 };
/** What follows the name of a matrix in 8 bits: a number for each of its rows. */
const SCALE = ".scale";

/** Read a safetensors file into modules, named as in model/; tied ones share their numbers.
 * @param {ArrayBuffer} file
 * @param {import("./types").Config} config
 * @returns {Pick<import("./types").Model, "config" | "parameters">}
 */
export function readModel(file, config) {
  const view = new DataView(file);
  const start = 8 + Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 8, start - 8)));
  const names = Object.keys(header).filter((name) => name !== "__metadata__");
  const kept = names.filter((name) => !name.endsWith(SCALE));
  const count = kept.reduce((sum, name) => sum + countOf(header[name]), 0);
  const kernel = createKernel(count);
  const place = kernel?.place ?? ((size) => new Float32Array(size));
  /** @type {Module} */
  const parameters = {};
  for (const name of kept) put(parameters, name, numbers(view, start, header, name, place));
  return { config, parameters: tied(parameters, config) };
}

function countOf({ dtype, data_offsets: [from, to] }) {
  if (!(dtype in BYTES)) throw new Error(`weights must be I8, F16 or F32, got ${dtype}`);
  return (to - from) / BYTES[dtype];
}

function numbers(view, start, header, name, place) {
  const { dtype, data_offsets: offsets } = header[name];
  const [from] = offsets;
  const read = READ[dtype];
  const size = BYTES[dtype];
  const values = place(countOf(header[name]));
  for (let i = 0; i < values.length; i++) values[i] = read(view, start + from + i * size);
  if (dtype === "I8") multiplyRows(values, scalesOf(view, start, header, name));
  return values;
}

const scalesOf = (view, start, header, name) =>
  numbers(view, start, header, name + SCALE, (size) => new Float32Array(size));

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
// A model of one text has one embedding; one that predicts nothing has no generator.
// A model of one text has one embedding; one that predicts nothing has no generator.
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

/** The number that sixteen bits are (IEEE 754).
 * @param {number} bits
 */
export function half(bits) {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits >> 15 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
