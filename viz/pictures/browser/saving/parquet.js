// A table as a Parquet file: plain pages, not compressed, with what is said of it in its metadata.

import { lengthOf } from "./table.js";
import { struct } from "./thrift.js";

const MAGIC = [80, 65, 82, 49]; // "PAR1"
const REQUIRED = 0;
const UTF8 = 0;
const PLAIN = 0;
const RUN_LENGTH = 3;
const VERSION = 1;
const WHOLE = 1;
const SINGLE = 4;
const DOUBLE = 5;
const BYTES = 6; // types of Parquet
const encoder = new TextEncoder();

/** Write a table (Apache Parquet, format version 1).
 * @param {import("./table.js").Table} table
 * @param {Record<string, string>} metadata of the file
 * @returns {Uint8Array}
 */
export function parquetFile(table, metadata) {
  const rows = lengthOf(table);
  const columns = Object.entries(table).map(([name, values]) => columnOf(name, values, rows));
  /** @type {ArrayLike<number>[]} */
  const parts = [MAGIC];
  let offset = MAGIC.length;
  for (const column of columns) {
    column.offset = offset;
    parts.push(column.head, column.page);
    offset += column.head.length + column.page.length;
  }
  const footer = footerOf(columns, rows, metadata);
  const length = new Uint8Array(Uint32Array.of(footer.length).buffer); // every machine of today is little-endian
  return joined([...parts, footer, length, MAGIC]);
}

function columnOf(name, values, rows) {
  const { type, page } = pageOf(values);
  const head = struct([
    [1, "whole", 0],
    [2, "whole", page.length],
    [3, "whole", page.length],
    [
      5,
      "struct",
      [
        [1, "whole", rows],
        [2, "whole", PLAIN],
        [3, "whole", RUN_LENGTH],
        [4, "whole", RUN_LENGTH],
      ],
    ],
  ]);
  return { name, type, head, page, offset: 0 };
}

function pageOf(values) {
  if (Array.isArray(values)) return { type: BYTES, page: textsPage(values) };
  const page = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  if (values instanceof Float32Array) return { type: SINGLE, page };
  return { type: values instanceof Float64Array ? DOUBLE : WHOLE, page };
}

// Each text after its length in bytes.
function textsPage(texts) {
  const letters = texts.map((text) => encoder.encode(text));
  const page = new Uint8Array(letters.reduce((sum, { length }) => sum + 4 + length, 0));
  const view = new DataView(page.buffer);
  let at = 0;
  for (const each of letters) {
    view.setUint32(at, each.length, true);
    page.set(each, at + 4);
    at += 4 + each.length;
  }
  return page;
}

function footerOf(columns, rows, metadata) {
  const schema = columns.map(({ name, type }) => [
    [1, "whole", type],
    [3, "whole", REQUIRED],
    [4, "text", name],
    ...(type === BYTES ? [[6, "whole", UTF8]] : []),
  ]);
  const sizes = columns.map(({ head, page }) => head.length + page.length);
  const chunks = columns.map(({ name, type, offset }, i) => [
    [2, "long", offset],
    [
      3,
      "struct",
      [
        [1, "whole", type],
        [2, "list", ["whole", [PLAIN]]],
        [3, "list", ["text", [name]]],
        [4, "whole", 0],
        [5, "long", rows],
        [6, "long", sizes[i]],
        [7, "long", sizes[i]],
        [9, "long", offset],
      ],
    ],
  ]);
  const root = [
    [4, "text", "schema"],
    [5, "whole", columns.length],
  ];
  const group = [
    [1, "list", ["struct", chunks]],
    [2, "long", sizes.reduce((sum, size) => sum + size, 0)],
    [3, "long", rows],
  ];
  const said = Object.entries(metadata).map(([key, value]) => [
    [1, "text", key],
    [2, "text", value],
  ]);
  return struct([
    [1, "whole", VERSION],
    [2, "list", ["struct", [root, ...schema]]],
    [3, "long", rows],
    [4, "list", ["struct", [group]]],
    [5, "list", ["struct", said]],
    [6, "text", "Loupe"],
  ]);
}

function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
