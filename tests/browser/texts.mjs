// Gives the modules under test the English texts, as a page does before it draws.

import { readFileSync } from "node:fs";
import { learn } from "../../viz/pictures/browser/say.js";

const areas = JSON.parse(readFileSync(new URL("../../texts/en.json", import.meta.url), "utf-8"));
const texts = Object.entries(areas).flatMap(([area, of]) =>
  Object.entries(of).map(([name, text]) => [`${area}.${name}`, text]),
);
learn({ en: Object.fromEntries(texts) });
