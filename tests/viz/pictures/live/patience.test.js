// A tokenizer that never finishes is ended with its worker, and the page continues. The worker is simulated.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { createLoupe } from "../../../../viz/pictures/browser/explorer.js";
import { createBeside } from "../../../../viz/pictures/browser/live/beside.js";
import { announced, announcing } from "../../../../viz/pictures/browser/live/patience.js";

const MODEL = { key: "m", in_parts: true, tokenizers: "tokenizers.js" };
const taskOf = (text) => /** @type {any} */ ({ do: "run", model: MODEL, text, interventions: [] });

/** @type {any[]} the workers started so far */
let workers = [];

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  workers = [];
  globalThis.Worker = /** @type {any} */ (
    function made() {
      const worker = {
        asked: [],
        isEnded: false,
        addEventListener(name, heard) {
          if (name === "message") worker.say = (data) => heard({ data });
        },
        postMessage: (message) => worker.asked.push(message),
        terminate() {
          worker.isEnded = true;
        },
        say: (_data) => {},
      };
      workers.push(worker);
      return worker;
    }
  );
});
afterEach(() => mock.timers.reset());

function besideOf() {
  const said = [];
  const beside = createLoupe(/** @type {any} */ ({ addEventListener() {} })).part(createBeside);
  const ask = (text) =>
    beside.ask(
      taskOf(text),
      (answer) => said.push([text, answer]),
      ({ reason, values }) => said.push([text, reason, values]),
    );
  return { ask, said };
}

function seconds(count) {
  for (let i = 0; i < count; i++) mock.timers.tick(1000);
}

test("a text that the tokenizer never finishes is refused, and the other texts are sent again", () => {
  const { ask, said } = besideOf();
  const slow = ask("slow");
  const other = ask("other");
  const [first] = workers;
  first.say({ number: slow, works: true });
  seconds(9);
  assert.ok(!first.isEnded);
  seconds(1);
  assert.ok(first.isEnded);
  assert.deepEqual(said, [["slow", "slow_text", { seconds: 10 }]]);
  const [, second] = workers;
  assert.deepEqual(second.asked, [{ number: other, task: taskOf("other") }]);
  second.say({ number: other, answer: 7 });
  assert.deepEqual(said.at(-1), ["other", 7]);
  assert.equal(ask("next"), 3);
  assert.equal(second.asked.at(-1).task.text, "next");
  assert.equal(workers.length, 2);
});

test("the next text starts another worker", () => {
  const { ask, said } = besideOf();
  ask("slow");
  workers[0].say({ number: 1, works: true });
  seconds(10);
  assert.equal(workers.length, 1);
  ask("next");
  workers[1].say({ number: 2, works: true });
  workers[1].say({ number: 2, works: false });
  seconds(100); // the model itself may take any time
  workers[1].say({ number: 2, answer: "read" });
  assert.deepEqual(said, [
    ["slow", "slow_text", { seconds: 10 }],
    ["next", "read"],
  ]);
});

test("loading a tokenizer may take longer; if it never ends, everything that waits for it is refused", () => {
  const { ask, said } = besideOf();
  ask("one");
  ask("two");
  workers[0].say({ number: null, works: true });
  seconds(59);
  assert.deepEqual(said, []);
  seconds(1);
  assert.deepEqual(said, [
    ["one", "slow_tokenizer", { seconds: 60 }],
    ["two", "slow_tokenizer", { seconds: 60 }],
  ]);
  assert.equal(workers.length, 1);
});

test("time during which the page slept does not count as waiting", () => {
  const { ask, said } = besideOf();
  ask("one");
  workers[0].say({ number: 1, works: true });
  mock.timers.tick(3_600_000);
  assert.deepEqual(said, []);
});

test("each call of a tokenizer is announced, and so is its end, even if it fails", () => {
  const posted = [];
  const target = { token: (id) => `t${id}`, decode: (ids) => ids.join("-") };
  const broken = () => {
    throw new Error("broken");
  };
  const given = /** @type {any} */ ({
    encodeSource: (text) => ({ source: text, posted: posted.length }),
    encodePrompt: broken,
    naming: () => ({ target }),
    specials: 1,
  });
  const tokenizers = announcing(
    given,
    announced((message) => posted.push(message), 4),
  );
  assert.deepEqual(tokenizers.encodeSource("a"), { source: "a", posted: 1 });
  assert.throws(() => tokenizers.encodePrompt("a"), /broken/);
  const { target: named } = tokenizers.naming(/** @type {any} */ ({}));
  assert.equal(named.token(3), "t3");
  assert.equal(named.decode([1, 2]), "1-2");
  const pair = [true, false].map((works) => ({ number: 4, works }));
  assert.deepEqual(posted, [...pair, ...pair, ...pair]);
  assert.equal(tokenizers.specials, 1);
});
