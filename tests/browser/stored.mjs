// Reads checkpoints in node, as the browser reads them.

import { readFileSync } from "node:fs";
import { readFiles } from "../../viz/pictures/browser/live/models.js";

/** A checkpoint, as the browser reads it.
 * @param {string} path without the endings of its files
 */
export function keptOf(path) {
  const file = readFileSync(`${path}.safetensors`);
  const weights = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
  return readFiles(JSON.parse(readFileSync(`${path}.json`, "utf8")), weights);
}
