// Gives the tests of pictures the texts of the interface in one language.

import { readFileSync } from "node:fs";
import { learn, speak } from "../../viz/pictures/browser/say.js";

/** @param {"en" | "fr"} language */
function textsOf(language) {
  const file = new URL(`../../texts/${language}.json`, import.meta.url);
  const areas = JSON.parse(readFileSync(file, "utf-8"));
  return Object.fromEntries(
    Object.entries(areas).flatMap(([area, texts]) =>
      Object.entries(texts).map(([name, text]) => [`${area}.${name}`, text]),
    ),
  );
}

/** @param {"en" | "fr"} language */
export function speakIn(language) {
  learn({ en: textsOf("en"), fr: textsOf("fr") });
  speak(language);
}
