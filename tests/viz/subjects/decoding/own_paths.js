// Writes and packs paths without Python: `node own_paths.js`, for test_own_path.py.

import { asked, keptOf, tell } from "../../../browser/asked.mjs";
import "../../../browser/texts.mjs";
import { answerTo } from "../../../../viz/pictures/browser/live/answer.js";
import { forced } from "../../../../viz/pictures/browser/live/paths.js";
import { createTasks } from "../../../../viz/pictures/browser/live/tasks.js";
import { LAST_SEED } from "../../../../viz/subjects/decoding/browser/decoding_own.js";
import { branchOf, packPath } from "../../../../viz/subjects/decoding/browser/own_path.js";
import { TEMPERATURES } from "../../../../viz/subjects/decoding/browser/own_writing.js";

const SHOWN = 300; // tokens per step, more than Python sends
const { checkpoint, cases } = asked;
const kept = keptOf(checkpoint);
const answered = (task) =>
  new Promise((done, fail) => {
    const hear = ({ answer, wrong }) => (wrong ? fail(new Error(wrong.message)) : answer && done(answer));
    createTasks(/** @type {any} */ ({ get: async () => kept }), hear)({ number: 1, task });
  });
const paths = [];
for (const { text, strategy, begins } of cases) {
  const answer = answerTo(kept, text);
  const path = { model: {}, read: answer.read, strategy, known: [], room: null, temperatures: TEMPERATURES };
  const forks = await answered({ do: "forks", ...path, begins });
  const { mode } = strategy;
  const pack = async (prefix) => {
    const written = await answered({ do: "write", ...path, begins: prefix });
    const how = { key: "", mode, count: prefix.length };
    return { ...packPath(kept, answer, written, how), text: written.text };
  };
  const base = await pack([]);
  const { meta, ranked, others, codes, text: played } = await pack(forced(begins, forks));
  const branches = [branchOf(base.meta, base.text, [])];
  if (forks.length) branches.push(branchOf(meta, played, forks));
  const first = (name) =>
    meta.ids.map((_, step) => {
      const start = step * meta.sent;
      const end = start + Math.min(meta.sent, SHOWN);
      return [...ranked.getChild(name).toArray().subarray(start, end)];
    });
  const all = (table, name) => [...table.getChild(name).toArray()];
  paths.push({
    meta,
    ids: first("id"),
    logits: first("logit"),
    sums: all(others, "sum"),
    weighted: all(others, "weighted"),
    codes: all(codes, "code"),
    branches,
  });
}
tell({ paths, temperatures: TEMPERATURES, lastSeed: LAST_SEED });
