// The jobs of a head in words, in both languages, beside what a person would write.

import assert from "node:assert/strict";
import { test } from "node:test";
import { jobsBriefly, jobsSaid } from "../../../viz/pictures/browser/jobs.js";

const PLACE = { kind: "cross-attention", layer: 0, head: 1 };
const having = (jobs, over = "corpus") => ({
  roles: { over, sentences: 2000, heads: { "cross-attention": [[[], jobs]] } },
});
const job = (name, rate, chance) => ({ job: name, rate, chance });
const THREE = [
  job("it_referent", 0.991, 0.137),
  job("modifier_noun", 0.9263, 0.271),
  job("reads_itself", 0.5006, 0.116),
];

test("the jobs are said in their order, with how often each is done and would be by chance", () => {
  assert.equal(
    jobsSaid(having(THREE), PLACE),
    "Its job over 2,000 sentences: “it” reads the noun it stands for in 99 % of the cases (by chance: 14 %); determiners and adjectives read their noun in 93 % (27 %); reads its own token in 50 % (12 %).",
  );
  assert.deepEqual(jobsBriefly(having(THREE), PLACE), [
    "“it” reads the noun it stands for (99 %)",
    "determiners and adjectives read their noun (93 %)",
    "reads its own token (50 %)",
  ]);
});

test("a share that is not all of them does not become so", () => {
  const said = jobsSaid(having([job("reads_before", 0.997, 0.0012)]), PLACE);
  assert.match(said, /in 99\.7 % of the cases \(by chance: 0\.1 %\)/);
  assert.match(jobsSaid(having([job("reads_before", 1, 0.1)]), PLACE), /in 100 % of the cases/);
});

test("it says over which sentences, and that there is no job where there is none", () => {
  const none = (over) => jobsSaid(having([], over), PLACE);
  assert.equal(none("corpus"), "No job was found for it over 2,000 sentences.");
  assert.equal(none("held_out"), "No job was found for it over 2,000 held-out sentences.");
  assert.equal(none("text"), "No job was found for it in this text.");
  assert.deepEqual(jobsBriefly(having([]), PLACE), ["no job found"]);
});

test("where nobody looked nothing is said", () => {
  for (const [run, place] of [
    [{ roles: null }, PLACE],
    [having(THREE), { ...PLACE, layer: 3 }],
  ]) {
    assert.equal(jobsSaid(run, place), "");
    assert.deepEqual(jobsBriefly(run, place), []);
  }
});
