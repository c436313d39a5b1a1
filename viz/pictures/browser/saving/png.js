// Conversion of a vector picture to pixels, and text stored in the PNG file.

import { element } from "../elements.js";

export const TIMES = 2; // times the size on the page

/** Draw an SVG as the pixels of a PNG file.
 * @param {string} svg the SVG as toSVG returns it
 * @param {number} [times] the factor of enlargement
 * @returns {Promise<Uint8Array>}
 */
export async function toPNG(svg, times = TIMES) {
  const image = await loaded(svg);
  const canvas = element("canvas", {
    width: Math.round(image.naturalWidth * times),
    height: Math.round(image.naturalHeight * times),
  });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  /** @type {Blob | null} */
  const file = await new Promise((done) => canvas.toBlob(done));
  if (!file) throw new Error(`${canvas.width} × ${canvas.height} pixels are too many for a file`);
  return new Uint8Array(await file.arrayBuffer());
}

async function loaded(svg) {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  const image = new Image();
  try {
    image.src = address;
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(address);
  }
}

const SIGNATURE_AND_HEADER = 33; // in bytes; the text comes after these

/** Write a text into a PNG file, under a keyword, in a chunk for any language (iTXt; PNG, third edition, 11.3.3.4).
 * @param {Uint8Array} png
 * @param {string} name the keyword of the text, in Latin letters
 * @param {string} text
 * @returns {Uint8Array}
 */
export function withText(png, name, text) {
  const body = new TextEncoder().encode(`iTXt${name}\0\0\0\0\0${text}`);
  const chunk = new Uint8Array(body.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, body.length - 4);
  chunk.set(body, 4);
  view.setUint32(body.length + 4, checksum(body));
  const whole = new Uint8Array(png.length + chunk.length);
  whole.set(png.subarray(0, SIGNATURE_AND_HEADER));
  whole.set(chunk, SIGNATURE_AND_HEADER);
  whole.set(png.subarray(SIGNATURE_AND_HEADER), SIGNATURE_AND_HEADER + chunk.length);
  return whole;
}

const POLYNOMIAL = 0xedb88320;

/** Compute the checksum used by PNG and ZIP (CRC-32).
 * @param {Uint8Array} bytes
 */
export function checksum(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? POLYNOMIAL ^ (sum >>> 1) : sum >>> 1;
  }
  return ~sum >>> 0;
}
