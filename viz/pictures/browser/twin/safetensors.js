// Reads the weights of a checkpoint as they lie on disk, in half precision or full.

/** @typedef {import("./types").Module} Module */

const READ = {
  F16: (view, at) => half(view.getUint16(at, true)),
  F32: (view, at) => view.getFloat32(at, true),
};
const BYTES = { F16: 2, F32: 4 };

/** Read a safetensors file into modules, named as in model/; tied ones share their numbers.
 * @param {ArrayBuffer} file
 * @param {import("./types").Config} config
 * @returns {import("./types").Model}
 */
export function readModel(file, config) {
  const view = new DataView(file);
  const start = 8 + Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 8, start - 8)));
  /** @type {Module} */
  const parameters = {};
  for (const [name, { dtype, data_offsets: offsets }] of Object.entries(header))
    if (name !== "__metadata__") put(parameters, name, numbers(view, dtype, start, offsets));
  return { config, parameters: tied(parameters, config.tying) };
}

function numbers(view, dtype, start, [from, to]) {
  const read = READ[dtype];
  if (!read) throw new Error(`weights must be F16 or F32, got ${dtype}`);
  const size = BYTES[dtype];
  const values = new Float32Array((to - from) / size);
  for (let i = 0; i < values.length; i++) values[i] = read(view, start + from + i * size);
  return values;
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
  const all = tying === "all" ? { ...target, weight: source.weight } : target;
  return {
    ...parameters,
    target_embedding: all,
    generator: { ...generator, weight: all.weight },
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
