// Branches side by side: their texts, where each differs from the model's choice, their scores. A click plays one.

import { element } from "../../../pictures/browser/elements.js";
import { createStudio, studioLog } from "./studio.js";

function decodingBranches(loupe, { host }) {
  const studio = loupe.part(createStudio);
  let data = null;
  let trigger = (_event, _value) => {};
  const title = element("h2", { class: "loupe-heading" }, "Branches");
  const hint = element(
    "p",
    { class: "loupe-note" },
    "Click a candidate in the player to take it instead: the model decodes on from there.",
  );
  const grid = element("div", { class: "studio-branches" });
  host.append(title, hint, grid);

  const card = (branch, i) => {
    const played = i === data.played;
    const length = branch.tokens.length;
    const tell = (name) => trigger(name, { number: i, step: studio.step });
    const tokens = branch.tokens.map((token, step) =>
      element(
        "span",
        {
          class:
            [
              branch.differs[step] ? "studio-differs" : "",
              branch.forks.includes(step) ? "studio-fork" : "",
            ]
              .join(" ")
              .trim() || null,
        },
        token,
      ),
    );
    const main = element(
      "button",
      {
        type: "button",
        class: "studio-branch-play",
        "aria-pressed": String(played),
        onclick: () => played || tell("play"),
      },
      element("b", {}, branch.title),
      element("span", { class: "studio-branch-tokens" }, ...tokens),
      element("span", { class: "studio-branch-text", dir: "auto" }, branch.text || "(no words)"),
      element(
        "span",
        { class: "studio-branch-score" },
        `log p ${studioLog(branch.total)}, ${studioLog(branch.total / length)} per token, ${length} token${length === 1 ? "" : "s"}${branch.finished ? "" : ", unfinished"}`,
      ),
    );
    const drop =
      i === 0
        ? null
        : element(
            "button",
            {
              type: "button",
              class: "studio-drop",
              title: "Remove this branch",
              "aria-label": `Remove the branch ${branch.title}`,
              onclick: () => tell("drop"),
            },
            "✕",
          );
    return element("div", { class: `studio-branch${played ? " studio-played" : ""}` }, main, drop);
  };

  const draw = () => {
    hint.hidden = data.branches.length > 1;
    grid.replaceChildren(...data.branches.map((branch, i) => card(branch, i)));
  };
  return (given, setTriggerValue) => {
    trigger = setTriggerValue;
    data = given;
    draw();
  };
}

export const components = { decoding_branches: decodingBranches };
