// Writes and packs paths without Python: `node own_paths.js`, for test_own_path.py.

import { asked, keptOf, tell } from "../../../browser/asked.mjs";
import "../../../browser/texts.mjs";
import { answerTo } from "../../../../viz/pictures/browser/live/answer.js";
import { LAST_SEED, TEMPERATURES } from "../../../../viz/subjects/decoding/browser/decoding_own.js";
import { branchOf, forced, forksTo, packPath, writePath } from "../../../../viz/subjects/decoding/browser/own_path.js";

const SHOWN = 300; // of the tokens of a step: more than Python sends
const { checkpoint, cases } = asked;
const kept = keptOf(checkpoint);
const paths = cases.map(({ text, strategy, begins }) => {
  const answer = answerTo(kept, text);
  const write = (prefix) => writePath(kept.model, answer.read.ids, strategy, prefix);
  const forks = forksTo(write, begins);
  const { mode } = strategy;
  const pack = (prefix) =>
    packPath(kept, answer, write(prefix), { key: "", mode, count: prefix.length });
  const base = pack([]);
  const { meta, ranked, others, codes } = pack(forced(begins, forks));
  const { target } = kept.tokenizers.naming(answer.read);
  const branches = [branchOf(target, base.meta, [])];
  if (forks.length) branches.push(branchOf(target, meta, forks));
  const first = (name) =>
    meta.ids.map((_, step) => {
      const start = step * meta.sent;
      const end = start + Math.min(meta.sent, SHOWN);
      return [...ranked.getChild(name).toArray().subarray(start, end)];
    });
  const all = (table, name) => [...table.getChild(name).toArray()];
  return {
    meta,
    ids: first("id"),
    logits: first("logit"),
    sums: all(others, "sum"),
    weighted: all(others, "weighted"),
    codes: all(codes, "code"),
    branches,
  };
});
tell({ paths, temperatures: TEMPERATURES, lastSeed: LAST_SEED });
