// Writes a PNG that contains a text, for test_files.py: `node write_files.js FOLDER`.

import { readFileSync, writeFileSync } from "node:fs";
import { withText } from "../../../../viz/pictures/browser/saving/png.js";

const folder = process.argv[2];
const about = readFileSync(`${folder}/about.txt`, "utf8");
writeFileSync(`${folder}/said.png`, withText(readFileSync(`${folder}/plain.png`), "Loupe", about));
