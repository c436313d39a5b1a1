// Fetches a large file in parts, a few at a time. Each is checked, kept by the browser, and fetched again if it fails.

/** A part of a file: the number of its bytes, and their SHA-256 digest in hexadecimal digits.
 * @typedef {{bytes: number, sha256: string}} Part
 */
/** The reason why a model did not load: a name among the texts `weights`, and the values for its braces. */
export class ModelFault extends Error {
  /** @param {string} reason @param {Record<string, unknown>} [values] */
  constructor(reason, values = {}) {
    super(`${reason} ${JSON.stringify(values)}`);
    this.reason = reason;
    this.values = values;
  }
}

const AT_A_TIME = 3;
const TRIES = 2;
const STORE = "loupe-weights";

/** Fetch all parts, the first one before the others. If the page and the worker fetch the same file, the second waits
 * and then finds the parts that the first one stored.
 * @param {string} address the address of the file; part 0 is at `${address}.0`
 * @param {Part[]} parts
 * @param {(bytes: Uint8Array<ArrayBuffer>, at: number) => void} take called with each part and its offset in the file
 * @param {object} [how]
 * @param {(loaded: number) => void} [how.tell] called with the number of loaded bytes
 * @param {AbortSignal} [how.signal]
 */
export async function fetchParts(
  address,
  parts,
  take,
  { tell = () => {}, signal = undefined } = {},
) {
  const stop = new AbortController();
  const stopped = stop.signal;
  signal?.throwIfAborted();
  signal?.addEventListener("abort", () => stop.abort(signal.reason), { signal: stopped });
  const places = placesOf(parts);
  const loaded = parts.map(() => 0);
  const store = await storeOf();
  let next = 0;
  const fetchNext = async () => {
    const index = next++;
    const note = (bytes) => {
      loaded[index] = bytes;
      tell(loaded.reduce((sum, each) => sum + each, 0));
    };
    const bytes = await partOf(`${address}.${index}`, parts[index], { store, note, stopped });
    stopped.throwIfAborted();
    take(bytes, places[index]);
  };
  const fetchMore = async () => {
    while (next < parts.length) await fetchNext();
  };
  const fetchAll = async () => {
    await fetchNext();
    await Promise.all(Array.from({ length: AT_A_TIME }, fetchMore));
  };
  try {
    await alone(`${STORE} ${parts[0].sha256}`, stopped, fetchAll);
  } catch (fault) {
    stop.abort(fault); // stops the other parts, too
    throw fault;
  }
}

function placesOf(parts) {
  let at = 0;
  return parts.map(({ bytes }) => {
    at += bytes;
    return at - bytes;
  });
}

// Let only the page or the worker run at a time, if the browser has locks for that.
const alone = (name, signal, run) =>
  globalThis.navigator?.locks ? navigator.locks.request(name, { signal }, run) : run();

// Open the browser's store of fetched parts. It exists only for pages loaded by HTTPS or from this machine.
async function storeOf() {
  try {
    return await globalThis.caches?.open(STORE);
  } catch {
    return undefined;
  }
}

async function partOf(address, part, { store, note, stopped }) {
  const name = `/${STORE}/${part.sha256}`;
  const kept = await keptIn(store, name, part);
  if (kept) {
    note(part.bytes);
    return kept;
  }
  const bytes = await fetched(address, part, note, stopped);
  // If the browser has no room for a part, the part is fetched again next time.
  await store?.put(name, new Response(bytes)).catch(() => {});
  return bytes;
}

async function keptIn(store, name, part) {
  try {
    const found = await store?.match(name);
    const bytes = found && new Uint8Array(await found.arrayBuffer());
    return bytes && !(await faultOf(bytes, part)) ? bytes : null;
  } catch {
    return null;
  }
}

async function fetched(address, part, note, signal) {
  let fault;
  for (let tries = 0; tries < TRIES; tries++) {
    note(0);
    try {
      // The browser's cache may hold the broken part, so the second try goes to the server.
      const answer = await fetch(address, { signal, cache: tries ? "reload" : "default" });
      if (!answer.ok) throw new ModelFault("refused", { status: answer.status });
      const bytes = await bytesOf(answer, part.bytes, note);
      const wrong = await faultOf(bytes, part);
      if (!wrong) return bytes;
      throw wrong;
    } catch (error) {
      signal.throwIfAborted();
      fault = error instanceof ModelFault ? error : new ModelFault("unreachable");
    }
  }
  throw fault;
}

// Read the bytes of an answer as they arrive. If there are too many, stop with an error.
async function bytesOf(answer, size, note) {
  const bytes = new Uint8Array(size);
  const reader = answer.body.getReader();
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > size) {
      await reader.cancel();
      throw new ModelFault("wrong_length", { expected: size, found: at + value.length });
    }
    bytes.set(value, at);
    at += value.length;
    note(at);
  }
  return at === size ? bytes : bytes.slice(0, at);
}

/** @param {Uint8Array<ArrayBuffer>} bytes @param {Part} part */
async function faultOf(bytes, part) {
  if (bytes.length !== part.bytes)
    return new ModelFault("wrong_length", { expected: part.bytes, found: bytes.length });
  const subtle = globalThis.crypto?.subtle; // missing in pages loaded by plain HTTP or from a disk
  if (!subtle) return null;
  const digest = new Uint8Array(await subtle.digest("SHA-256", bytes));
  const digits = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits === part.sha256 ? null : new ModelFault("wrong_bytes");
}
