// The jobs of a head in words, compared with sentences that a person wrote.

import assert from "node:assert/strict";
import { test } from "node:test";
import { jobsBriefly, jobsSaid } from "../../../viz/pictures/browser/jobs.js";

const PLACE = { kind: "cross-attention", layer: 0, head: 1 };
const having = (jobs, over = "corpus", more = {}) => ({
  roles: { over, sentences: 2000, heads: { "cross-attention": [[[], jobs]] } },
  ...more,
});
const job = (name, rate, chance, rows = 59) => ({ job: name, rate, chance, rows });
const THREE = [
  job("it_referent", 1, 0.137),
  job("modifier_noun", 0.9263, 0.271, 1550),
  job("reads_itself", 0.5006, 0.116, 9000),
];
const cases = (of) => ({ cases: { "cross-attention": of } });
const ALL_CASES = {
  it_referent: [[7, 1]],
  modifier_noun: [
    [0, 1],
    [2, 3],
  ],
  reads_itself: [],
};
const IT = "“it” reads the noun it stands for in all 59 cases (by chance: 14%)";

test("two jobs are listed in order with the count of their cases, then the number of further jobs", () => {
  assert.equal(
    jobsSaid(having(THREE), PLACE),
    `This head’s jobs over 2,000 sentences: ${IT}; determiners and adjectives read their noun in 93% of 1,550 (27%). It has 1 more job.`,
  );
  assert.deepEqual(jobsBriefly(having(THREE), PLACE), [
    "“it” reads the noun it stands for (all 59)",
    "determiners and adjectives read their noun (93% of 1,550)",
    "reads its own token (50% of 9,000)",
  ]);
});

test("a row that is a case of a job gets that job first", () => {
  const run = having(THREE, "corpus", cases(ALL_CASES));
  assert.equal(
    jobsSaid(run, PLACE, { row: 7, read: 1 }),
    `This head’s job here, counted over 2,000 sentences: ${IT}. It also does this: determiners and adjectives read their noun in 93% of 1,550 cases (by chance: 27%). It has 1 more job.`,
  );
  assert.match(
    jobsSaid(run, PLACE, { row: 2, read: 3 }),
    /^This head’s job here, counted over 2,000 sentences: determiners .* It also does this: “it” reads/,
  );
});

test("a case that the head gets wrong is described as one, even if the row reads nothing most", () => {
  const run = having(THREE, "corpus", cases(ALL_CASES));
  for (const read of [0, undefined])
    assert.match(
      jobsSaid(run, PLACE, { row: 7, read }),
      /^This row is a case for the head’s job, but the head does not do it here\. Counted over 2,000 sentences: “it” reads/,
    );
});

test("for a row that is not a case, the jobs are described as those of other rows", () => {
  const run = having(THREE, "corpus", cases(ALL_CASES));
  assert.equal(
    jobsSaid(run, PLACE, { row: 5, read: 1 }),
    `Elsewhere this head mostly does this, counted over 2,000 sentences: ${IT}; determiners and adjectives read their noun in 93% of 1,550 (27%). It has 1 more job.`,
  );
});

test("if the cases of a row are unknown, the sentence does not mention the row", () => {
  const neutral = jobsSaid(having(THREE), PLACE);
  const { it_referent: _, ...others } = ALL_CASES;
  assert.equal(jobsSaid(having(THREE, "corpus", cases(others)), PLACE, { row: 5 }), neutral);
  assert.equal(jobsSaid(having(THREE, "corpus", { cases: null }), PLACE, { row: 7 }), neutral);
});

test("a changed run has no jobs", () => {
  const run = having(THREE, "corpus", { ...cases(ALL_CASES), changed: true });
  assert.equal(jobsSaid(run, PLACE, { row: 7, read: 1 }), "");
  assert.equal(jobsSaid(run, PLACE), "");
  assert.deepEqual(jobsBriefly(run, PLACE), []);
});

test("a share just below 1 is not rounded to all", () => {
  const said = jobsSaid(having([job("reads_before", 0.997, 0.0012)]), PLACE);
  assert.match(said, /in 99\.7% of 59 cases \(by chance: 0\.1%\)/);
});

test("a head without a job gets a sentence that says so and names the sentences it was tested on", () => {
  const none = (over) => jobsSaid(having([], over), PLACE);
  assert.equal(none("corpus"), "No job was found for this head over 2,000 sentences.");
  assert.equal(none("held_out"), "No job was found for this head over 2,000 held-out sentences.");
  assert.equal(none("text"), "No job was found for this head in this text.");
  assert.deepEqual(jobsBriefly(having([]), PLACE), ["no job found"]);
});

test("a head that was not measured gets no sentence", () => {
  for (const [run, place] of [
    [{ roles: null }, PLACE],
    [having(THREE), { ...PLACE, layer: 3 }],
  ]) {
    assert.equal(jobsSaid(run, place), "");
    assert.deepEqual(jobsBriefly(run, place), []);
  }
});
