// The text of a key in the browser is the same as in Python: both pass the same examples.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { language, learn, say, sayOf, speak } from "../../viz/pictures/browser/say.js";

const MARKS = Object.fromEntries(
  ["en", "fr"].map((language) => {
    const file = new URL(`../../texts/${language}.json`, import.meta.url);
    const marks = Object.entries(JSON.parse(readFileSync(file, "utf-8")).language);
    return [language, Object.fromEntries(marks.map(([name, mark]) => [`language.${name}`, mark]))];
  }),
);
const examples = JSON.parse(readFileSync(new URL("examples.json", import.meta.url), "utf-8"));

for (const [spoken, text, values, said] of examples)
  test(`${spoken}: ${said}`, () => {
    learn({ en: { "area.name": "another" }, [spoken]: { ...MARKS[spoken], "area.name": text } });
    speak(spoken);
    assert.equal(say("area.name", values), said);
    assert.equal(sayOf("area", "name", values), said);
  });

test("a missing text or value is an error", () => {
  learn({ en: { "area.name": "{word}" } });
  speak("en");
  assert.throws(() => say("area.other"));
  assert.throws(() => say("area.name", {}));
});

test("an unknown language becomes English", () => {
  learn({ en: {}, fr: {} });
  speak("fr");
  assert.equal(language(), "fr");
  speak("de");
  assert.equal(language(), "en");
  speak("fr");
  speak();
  assert.equal(language(), "en");
});
