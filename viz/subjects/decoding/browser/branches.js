// Branches side by side: their texts, where each differs from the model's choice, their scores. A click plays one.

import { element, pushButton } from "../../../pictures/browser/elements.js";
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

  /**
   * @param {import("./wire").WireBranches} data
   * @param {import("../../../pictures/browser/types").Trigger} trigger
   */
  return ({ branches, played }, trigger) => {
    shown = branches;
    hint.hidden = branches.length > 1;
    const tell = (name, number) => trigger(name, { number, step: studio.step });
    const cards = branches.map((branch, i) => branchCard(branch, i, i === played, tell));
    grid.replaceChildren(...cards);
  };
}

/** @param {import("./wire").WireBranch} branch */
function branchCard(branch, i, isPlayed, tell) {
  const main = pushButton(
    {
      class: "studio-branch-play",
      "aria-pressed": String(isPlayed),
      onclick: () => isPlayed || tell("play", i),
    },
    element("b", {}, branch.title),
    element("span", { class: "studio-branch-tokens" }, ...branchTokens(branch)),
    element(
      "span",
      { class: "studio-branch-text", dir: "auto" },
      branch.text || say("decoding.branch_empty"),
    ),
    element("span", { class: "studio-branch-score" }, branchScore(branch)),
  );
  const drop = pushButton(
    {
      class: "studio-drop",
      title: say("decoding.branch_drop"),
      "aria-label": say("decoding.branch_drop_label", { title: branch.title }),
      onclick: () => tell("drop", i),
    },
    "✕",
  );
  const name = `studio-branch${isPlayed ? " studio-played" : ""}`;
  return element("div", { class: name }, main, i === 0 ? null : drop);
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
  const score = { total: studioLog(total), each: studioLog(total / length), count: length };
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
