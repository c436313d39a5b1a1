// What a key says in the browser: the same as in Python, held to the same examples.

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

test("what is not there is not said silently", () => {
  learn({ en: { "area.name": "{word}" } });
  speak("en");
  assert.throws(() => say("area.other"));
  assert.throws(() => say("area.name", {}));
});

test("a language that is not there is English", () => {
  learn({ en: {}, fr: {} });
  speak("fr");
  assert.equal(language(), "fr");
  speak("de");
  assert.equal(language(), "en");
  speak("fr");
  speak();
  assert.equal(language(), "en");
});
