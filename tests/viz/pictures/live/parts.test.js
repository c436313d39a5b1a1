// A file in parts from a simulated server: parts that arrive whole, broken parts, and stopped downloads.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createWholeModels } from "../../../../viz/pictures/browser/live/models.js";
import { fetchParts, ModelFault } from "../../../../viz/pictures/browser/live/parts.js";
import { receiveModel } from "../../../../viz/pictures/browser/twin/safetensors.js";
import { keptOf } from "../../../browser/stored.mjs";

const ADDRESS = "https://loupe.test/weights/model";
const FILE = Uint8Array.from({ length: 1000 }, (_, i) => (i * i) % 251);
const SIZES = [300, 300, 300, 100];

const untouched = { fetch: globalThis.fetch, caches: globalThis.caches };
afterEach(() => {
  for (const [name, value] of Object.entries(untouched)) put(name, value);
  put("crypto", crypto);
});
const put = (name, value) =>
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
const { crypto } = globalThis;

function partsOf(file, sizes) {
  let at = 0;
  return sizes.map((bytes) => {
    const contents = file.slice(at, at + bytes);
    at += bytes;
    return { bytes, sha256: createHash("sha256").update(contents).digest("hex"), contents };
  });
}
const PARTS = partsOf(FILE, SIZES);

/** Simulate a server that sends each part, unless `broken` answers instead.
 * @param {(index: number, turn: number, signal: AbortSignal) => any} [broken]
 */
function serve(broken = () => undefined) {
  const asked = [];
  const turns = new Map();
  put("fetch", async (address, { signal, cache } = {}) => {
    const index = Number(address.slice(ADDRESS.length + 1));
    asked.push([index, cache]);
    const turn = (turns.get(index) ?? 0) + 1;
    turns.set(index, turn);
    return (await broken(index, turn, signal)) ?? new Response(PARTS[index].contents);
  });
  return asked;
}

/** @param {object} [how] options of fetchParts */
async function gathered(how) {
  const file = new Uint8Array(FILE.length);
  await fetchParts(ADDRESS, PARTS, (bytes, at) => file.set(bytes, at), how);
  return file;
}

const failing =
  (reason, values = {}) =>
  (fault) => {
    assert.ok(fault instanceof ModelFault);
    assert.deepEqual([fault.reason, fault.values], [reason, values]);
    return true;
  };

test("the parts are joined, the first one before all others, and progress is reported", async () => {
  const asked = serve();
  const told = [];
  assert.deepEqual(await gathered({ tell: (loaded) => told.push(loaded) }), FILE);
  assert.deepEqual(asked.map(([index]) => index).sort(), [0, 1, 2, 3]);
  assert.equal(asked[0][0], 0);
  assert.equal(told.at(-1), FILE.length);
  assert.deepEqual(
    told,
    [...told].sort((one, other) => one - other),
  );
});

test("a part that fails once is requested again without the browser's cache", async () => {
  const asked = serve((index, turn) => {
    if (turn > 1) return undefined;
    if (index === 1) return new Response("gone", { status: 503 });
    if (index === 2) throw new TypeError("network");
    return index === 3 ? new Response(new Uint8Array(100)) : undefined;
  });
  assert.deepEqual(await gathered(), FILE);
  assert.equal(asked.length, 7);
  assert.equal(asked.filter(([, cache]) => cache === "reload").length, 3);
});

for (const [name, answer, reason, values] of [
  ["a server that refuses", () => new Response("", { status: 404 }), "refused", { status: 404 }],
  [
    "too few bytes",
    () => new Response(FILE.slice(0, 9)),
    "wrong_length",
    { expected: 300, found: 9 },
  ],
  ["too many bytes", () => new Response(FILE), "wrong_length", { expected: 300, found: 1000 }],
  ["other bytes", () => new Response(new Uint8Array(300)), "wrong_bytes", {}],
  ["no network", () => Promise.reject(new TypeError("failed to fetch")), "unreachable", {}],
])
  test(`${name}: the other downloads stop, and the reason is reported`, async () => {
    const signals = [];
    serve((index, _turn, signal) => {
      if (index === 1) return answer();
      if (index === 0) return undefined;
      signals.push(signal);
      return new Promise((_done, fail) => {
        signal.addEventListener("abort", () => fail(signal.reason));
      });
    });
    await assert.rejects(gathered(), failing(reason, values));
    assert.ok(signals.length > 0 && signals.every(({ aborted }) => aborted));
  });

test("if the browser cannot compute a hash, only the length is checked", async () => {
  put("crypto", {});
  serve((index) => (index === 1 ? new Response(new Uint8Array(300)) : undefined));
  const file = await gathered();
  assert.deepEqual(file.slice(300, 600), new Uint8Array(300));
  serve((index) => (index === 1 ? new Response(new Uint8Array(299)) : undefined));
  await assert.rejects(gathered(), failing("wrong_length", { expected: 300, found: 299 }));
});

test("a stopped download requests nothing more", async () => {
  const stop = new AbortController();
  const asked = serve((index) => {
    if (index === 1) stop.abort();
  });
  await assert.rejects(gathered({ signal: stop.signal }), { name: "AbortError" });
  assert.ok(asked.every(([, cache]) => cache !== "reload"));
  const before = asked.length;
  await assert.rejects(gathered({ signal: stop.signal }), { name: "AbortError" });
  assert.equal(asked.length, before);
});

// Simulate the browser's cache as a store that a test can read and damage.
function keeping() {
  const kept = new Map();
  put("caches", {
    open: async () => ({
      match: async (name) => kept.get(name)?.clone(),
      put: async (name, answer) => void kept.set(name, answer),
    }),
  });
  return kept;
}

test("a cached part is not fetched again, unless it has been damaged", async () => {
  const kept = keeping();
  serve();
  await gathered();
  assert.equal(kept.size, PARTS.length);
  const [, second] = kept.keys();
  kept.set(second, new Response(new Uint8Array(300)));
  const asked = serve();
  const told = [];
  assert.deepEqual(await gathered({ tell: (loaded) => told.push(loaded) }), FILE);
  assert.equal(asked.length, 1);
  assert.equal(told.at(-1), FILE.length);
});

test("a browser that cannot cache gets the file as well", async () => {
  const refuse = async () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  put("caches", { open: async () => ({ match: refuse, put: refuse }) });
  serve();
  assert.deepEqual(await gathered(), FILE);
  put("caches", { open: refuse });
  assert.deepEqual(await gathered(), FILE);
});

const CHECKPOINT = new URL("../../../../sample_data/checkpoints/digits-paper", import.meta.url);
const { model: WHOLE, smoothing: SMOOTHING } = keptOf(fileURLToPath(CHECKPOINT));

// Serve the two files of a checkpoint, with the weights in parts that end in the middle of a matrix.
function serveModel(answer = undefined) {
  const weights = new Uint8Array(readFileSync(fileURLToPath(`${CHECKPOINT}.safetensors`)));
  const about = JSON.parse(readFileSync(fileURLToPath(`${CHECKPOINT}.json`), "utf8"));
  const size = 100_001;
  const sizes = Array.from({ length: Math.ceil(weights.length / size) }, (_, i) =>
    Math.min(size, weights.length - i * size),
  );
  const parts = partsOf(weights, sizes);
  const listed = parts.map(({ bytes, sha256 }) => ({ bytes, sha256 }));
  put("fetch", async (address, { signal }) => {
    if (address.endsWith(".json")) return Response.json({ ...about, parts: listed });
    const given = await answer?.(signal);
    return given ?? new Response(parts[Number(address.slice(ADDRESS.length + 1))].contents);
  });
  return weights.length;
}

const wanted = (key) => ({ key, address: ADDRESS, in_parts: true });

test("a model from parts equals the model from the whole file, and listeners hear the progress", async () => {
  const size = serveModel();
  const models = createWholeModels();
  const [told, until] = [[], new AbortController()];
  models.listen((progress) => told.push(progress), until.signal);
  const { model, smoothing } = await models.get(wanted("a"));
  assert.deepEqual(model.parameters, WHOLE.parameters);
  assert.deepEqual([model.config, smoothing], [WHOLE.config, SMOOTHING]);
  assert.deepEqual(told.at(-1), { key: "a", loaded: size, all: size });
  assert.equal(models.at("a").model, model);
  until.abort();
  const before = told.length;
  await models.get(wanted("b"));
  assert.equal(told.length, before);
  assert.equal(models.at("a"), undefined); // there may be no room for two large models
});

test("a model that was stopped or failed is dropped, and can be requested again", async () => {
  const models = createWholeModels();
  serveModel((signal) => {
    models.stop("a");
    signal.throwIfAborted();
  });
  await assert.rejects(models.get(wanted("a")), { name: "AbortError" });
  serveModel(() => new Response("", { status: 500 }));
  await assert.rejects(models.get(wanted("a")), failing("refused", { status: 500 }));
  serveModel();
  assert.deepEqual((await models.get(wanted("a"))).model.parameters, WHOLE.parameters);
});

test("a first part without the whole header is refused", () => {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(0, 100n, true);
  assert.throws(() => receiveModel(bytes, 1000, WHOLE.config), /must have their header/);
});
