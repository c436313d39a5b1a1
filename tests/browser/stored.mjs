// Reads checkpoints in Node as the browser does.

import { readFileSync } from "node:fs";
import { readFiles } from "../../viz/pictures/browser/live/models.js";

/** Read a checkpoint as the browser does.
 * @param {string} path of its files without their extensions
 */
export function keptOf(path) {
  const file = readFileSync(`${path}.safetensors`);
  const weights = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
  return readFiles(JSON.parse(readFileSync(`${path}.json`, "utf8")), weights);
}
