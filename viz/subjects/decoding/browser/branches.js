// Branches side by side: their texts, where each differs from the model's choice, their scores. A click plays one.

import { element } from "../../../pictures/browser/elements.js";
import { createStudio, studioLog } from "./studio.js";

/** @type {import("../../../pictures/browser/types").Setup} */
function decodingBranches(loupe, { host }) {
  const studio = loupe.part(createStudio);
  const hint = element(
    "p",
    { class: "loupe-note" },
    "Click a candidate in the player to take it instead: the model decodes on from there.",
  );
  const grid = element("div", { class: "studio-branches" });
  host.append(element("h2", { class: "loupe-heading" }, "Branches"), hint, grid);

  /**
   * @param {import("./wire").WireBranches} data
   * @param {import("../../../pictures/browser/types").Trigger} trigger
   */
  return ({ branches, played }, trigger) => {
    hint.hidden = branches.length > 1;
    const tell = (name, number) => trigger(name, { number, step: studio.step });
    const cards = branches.map((branch, i) => branchCard(branch, i, i === played, tell));
    grid.replaceChildren(...cards);
  };
}

/** @param {import("./wire").WireBranch} branch */
function branchCard(branch, i, isPlayed, tell) {
  const main = element(
    "button",
    {
      type: "button",
      class: "studio-branch-play",
      "aria-pressed": String(isPlayed),
      onclick: () => isPlayed || tell("play", i),
    },
    element("b", {}, branch.title),
    element("span", { class: "studio-branch-tokens" }, ...branchTokens(branch)),
    element("span", { class: "studio-branch-text", dir: "auto" }, branch.text || "(no words)"),
    element("span", { class: "studio-branch-score" }, branchScore(branch)),
  );
  const drop = element(
    "button",
    {
      type: "button",
      class: "studio-drop",
      title: "Remove this branch",
      "aria-label": `Remove the branch ${branch.title}`,
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
  const size = `${length} token${length === 1 ? "" : "s"}`;
  const each = studioLog(total / length);
  return `log p ${studioLog(total)}, ${each} per token, ${size}${finished ? "" : ", unfinished"}`;
}

export const components = { decoding_branches: decodingBranches };
