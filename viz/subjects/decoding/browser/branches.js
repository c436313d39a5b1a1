// The model's choice beside a branch: their texts, where the branch differs, and their scores.

import { element } from "../../../pictures/browser/elements.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { differing } from "./differing.js";
import { createStudio, modeSaid, studioLog } from "./studio.js";

/** @type {import("../../../pictures/browser/types").Setup} */
function decodingBranches(loupe, { host, save }) {
  let shown = [];
  const studio = loupe.part(createStudio);
  save({
    name: say("decoding.saved_branches"),
    table: () => branchesTable(shown),
    said: () => modeSaid(studio),
  });
  const hint = element("p", { class: "loupe-note" }, say("decoding.branches_hint"));
  const grid = element("div", { class: "studio-branches" });
  host.append(element("h2", { class: "loupe-heading" }, say("decoding.branches")), hint, grid);

  /** @param {import("./wire").WireBranches} data */
  return (data) => {
    const branches = branchesOf(data);
    shown = branches;
    hint.hidden = branches.length > 1;
    grid.replaceChildren(
      ...branches.map((branch, i) => branchCard(branch, i === shown.length - 1)),
    );
  };
}

/** @typedef {ReturnType<typeof branchesOf>[number]} Branch */

/** Give each path a title, the sum of what it writes, and marks where it differs from the first path.
 * @param {import("./wire").WireBranches} data
 */
export function branchesOf({ mode, branches }) {
  const [base] = branches;
  return branches.map((branch) => {
    const { ids, tokens, logs, forks, prompt } = branch;
    const place = forks.at(-1);
    const step = place + prompt;
    return {
      ...branch,
      title:
        branch === base
          ? sayOf("decoding.base", mode)
          : say("decoding.branch", { token: tokens[place], step }),
      total: logs.reduce((sum, log) => sum + log, 0),
      differs: differing(base.ids, ids, forks),
    };
  });
}

/** @param {Branch} branch */
function branchCard(branch, isPlayed) {
  return element(
    "div",
    { class: `studio-branch${isPlayed ? " studio-played" : ""}` },
    element("b", {}, branch.title),
    element("span", { class: "studio-branch-tokens" }, ...branchTokens(branch)),
    element(
      "span",
      { class: "studio-branch-text", dir: "auto" },
      branch.text || say("decoding.branch_empty"),
    ),
    element("span", { class: "studio-branch-score" }, branchScore(branch)),
  );
}

/** @param {Branch} branch */
function branchTokens({ tokens, differs, forks }) {
  return tokens.map((token, step) => {
    const names = [];
    if (differs[step]) names.push("studio-differs");
    if (forks.includes(step)) names.push("studio-fork");
    return element("span", { class: names.join(" ") || null }, token);
  });
}

/** @param {Branch} branch */
function branchScore({ tokens: { length }, total, finished }) {
  const score = { total: studioLog(total), each: studioLog(total / length) };
  return finished ? say("decoding.branch_score", score) : say("decoding.branch_score_open", score);
}

/** @param {Branch[]} branches */
function branchesTable(branches) {
  const rows = branches.flatMap(({ title, tokens, total }) =>
    tokens.map((token, step) => [title, step, token, total]),
  );
  const total = "log probability of the branch";
  return tableOf({ branch: "text", step: "whole", token: "text", [total]: "double" }, rows);
}

export const components = { decoding_branches: decodingBranches };
