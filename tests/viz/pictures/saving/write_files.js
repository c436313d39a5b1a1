// Writes a Parquet file, and a PNG with a text, for test_files.py: `node write_files.js FOLDER`.

import { readFileSync, writeFileSync } from "node:fs";
import { parquetFile } from "../../../../viz/pictures/browser/saving/parquet.js";
import { withText } from "../../../../viz/pictures/browser/saving/png.js";
import { tableOf } from "../../../../viz/pictures/browser/saving/table.js";

const folder = process.argv[2];
const { kinds, rows, about } = JSON.parse(readFileSync(`${folder}/asked.json`, "utf8"));
writeFileSync(`${folder}/table.parquet`, parquetFile(tableOf(kinds, rows), { Loupe: about }));
writeFileSync(`${folder}/said.png`, withText(readFileSync(`${folder}/plain.png`), "Loupe", about));
