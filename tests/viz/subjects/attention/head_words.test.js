import assert from "node:assert/strict";
import { test } from "node:test";
import { roleSaid, roleWords } from "../../../../viz/subjects/attention/browser/head_roles.js";
import { readingsIn, shareWords } from "../../../../viz/subjects/attention/browser/head_weights.js";

const MASKED = 65_535;
const NAN = 65_534;

const PLACE = { kind: "cross-attention", layer: 0, head: 1 };
const withRole = (role) => ({
  roles: { sentences: 200, heads: { "cross-attention": [[null, role]] } },
});

test("a row is read from the most to the least, without what has no weight", () => {
  const codes = [0, 25_000, 5_000, 20_000, 10_000, 40_000, MASKED, MASKED];
  const matrix = { columns: 4, codes };
  assert.deepEqual(
    readingsIn(matrix, 0).map(({ key, weight }) => [key, weight]),
    [
      [1, 0.5],
      [3, 0.4],
      [2, 0.1],
    ],
  );
  assert.deepEqual(
    readingsIn(matrix, 1).map(({ key }) => key),
    [1, 0],
  );
  assert.deepEqual(readingsIn({ columns: 2, codes: [NAN, NAN] }, 0), []);
});

test("a share is whole, and neither nearly all nor nearly nothing becomes it", () => {
  const said = [0.5, 0.774, 0.9949, 0.995, 1, 0.005, 0.0049].map((weight) =>
    shareWords({ weight }),
  );
  assert.deepEqual(said, ["50 %", "77 %", "99 %", "over 99 %", "over 99 %", "1 %", "under 1 %"]);
  const [alone] = readingsIn({ columns: 2, codes: [50_000, MASKED] }, 0);
  assert.equal(shareWords(alone), "100 %");
});

test("a role is said with how often it holds and how often it would by chance", () => {
  const said = (job) => roleSaid(withRole({ job, rate: 0.886, chance: 0.361 }), PLACE);
  const often = "89 % of the time; by chance it would be 36 %.";
  assert.equal(
    said("reads_translated"),
    `Over 200 other sentences, this head reads what it translates ${often}`,
  );
  assert.equal(
    said("noun_after_determiner"),
    `Over 200 other sentences, to write a noun, this head reads the determiner before it ${often}`,
  );
  assert.equal(
    said("adjective_noun"),
    `Over 200 other sentences, in this head adjectives read their noun ${often}`,
  );
  assert.equal(
    said("it_noun"),
    `Over 200 other sentences, in this head “it” reads a noun before it ${often}`,
  );
});

test("where there is no role that is said, and where nobody looked nothing is", () => {
  const none = withRole(null);
  assert.equal(roleSaid(none, PLACE), "Over 200 other sentences, no single job was found for it.");
  assert.equal(roleWords(none, PLACE), "no single job found");
  assert.equal(roleSaid({ roles: null }, PLACE), "");
  assert.equal(roleWords({ roles: null }, PLACE), "");
  assert.equal(roleSaid(none, { ...PLACE, layer: 3 }), "");
});
