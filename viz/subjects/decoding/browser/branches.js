// The model's choice and the branch beside it: their texts, where the branch differs, their scores.

import { element } from "../../../pictures/browser/elements.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say } from "../../../pictures/browser/say.js";
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
  return ({ branches }) => {
    shown = branches;
    hint.hidden = branches.length > 1;
    grid.replaceChildren(
      ...branches.map((branch, i) => branchCard(branch, i === shown.length - 1)),
    );
  };
}

/** @param {import("./wire").WireBranch} branch */
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

/** @param {import("./wire").WireBranch} branch */
function branchTokens({ tokens, differs, forks }) {
  return tokens.map((token, step) => {
    const names = [];
    if (differs[step]) names.push("studio-differs");
    if (forks.includes(step)) names.push("studio-fork");
    return element("span", { class: names.join(" ") || null }, token);
  });
}

/** @param {import("./wire").WireBranch} branch */
function branchScore({ tokens: { length }, total, finished }) {
  const score = { total: studioLog(total), each: studioLog(total / length) };
  return finished ? say("decoding.branch_score", score) : say("decoding.branch_score_open", score);
}

/** @param {import("./wire").WireBranch[]} branches */
function branchesTable(branches) {
  const rows = branches.flatMap(({ title, tokens, total }) =>
    tokens.map((token, step) => [title, step, token, total]),
  );
  const total = "log probability of the branch";
  return tableOf({ branch: "text", step: "whole", token: "text", [total]: "double" }, rows);
}

export const components = { decoding_branches: decodingBranches };
