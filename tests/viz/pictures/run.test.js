// The runs that an explorer keeps.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createLoupe } from "../../../viz/pictures/browser/explorer.js";
import { components } from "../../../viz/pictures/browser/run.js";

test("an explorer drops its oldest runs, except those whose component is still on the page", () => {
  const loupe = createLoupe(/** @type {any} */ (null));
  const codes = { getChild: () => ({ toArray: () => new Uint16Array() }) };
  const begin = () => {
    const leaving = new AbortController();
    const take = components.run(loupe, /** @type {any} */ ({ signal: leaving.signal }));
    const send = (run) => take({ meta: { run, kinds: {}, tokens: {} }, codes }, () => {});
    return { send, leave: () => leaving.abort() };
  };
  const [beside, main] = [begin(), begin()];
  beside.send("before");
  for (let i = 0; i < 20; i++) main.send(`run ${i}`);
  assert.ok(loupe.runs.has("before"));
  assert.ok(loupe.runs.has("run 19"));
  assert.equal(loupe.runs.size, 16);
  beside.leave();
  main.send("run 20");
  assert.ok(!loupe.runs.has("before"));
});
