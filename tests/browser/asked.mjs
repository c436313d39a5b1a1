// What a test in Python asks of a script, by its input; the answer goes by its output (tests/node.py).

import { readFileSync } from "node:fs";
import { readFiles } from "../../viz/pictures/browser/live/models.js";

export const asked = JSON.parse(readFileSync(0, "utf8"));

/** @param {unknown} told */
export const tell = (told) => process.stdout.write(JSON.stringify(told));

/** A checkpoint, as the browser reads it.
 * @param {string} path without the endings of its files
 */
export function keptOf(path) {
  const file = readFileSync(`${path}.safetensors`);
  const weights = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
  return readFiles(JSON.parse(readFileSync(`${path}.json`, "utf8")), weights);
}
