// How a cell of attention is computed, in words: one line per step, with the tokens of this run.

import { element } from "../../../pictures/browser/elements.js";
import { filled } from "../../../pictures/browser/filled.js";
import { term } from "../../../pictures/browser/glossary.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { cellChecks } from "./cell_checks.js";
import { cellWords, followCell } from "./cell_parts.js";
import { storyLines } from "./cell_story.js";
import { cellTable } from "./cell_table.js";

/** @type {import("../../../pictures/browser/types").Setup} */
function words(loupe, picture) {
  const { host, save } = picture;
  let shown = null;
  save({ name: say("attention.cell_saved"), table: () => cellTable(shown) });
  const heading = cellWords({}, "h2");
  const story = cellStory();
  const checks = cellChecks();
  host.classList.add("loupe-cell");
  host.append(heading.node, story.node, checks.node);
  return followCell(loupe, picture, (cell) => {
    shown = cell;
    heading.put(...headingWords(cell));
    story.put(cell);
    checks.put(cell.lines, cell.tolerance, cell.changed);
  });
}

/** Say which word reads which.
 * @param {import("./types").Cell} cell
 */
const headingWords = ({ query, key }) =>
  filled(say("attention.cell_heading"), {
    query: [query.token, "loupe-query"],
    key: [key.token, "loupe-key"],
  });

// Create the list of steps, each after the name of its part.
function cellStory() {
  const node = element("ol", { class: "cell-story" });
  const lines = [];
  const add = () => {
    const name = element("span", { class: "cell-part" });
    const said = cellWords({}, "span");
    const line = { name, said, node: element("li", {}, name, said.node) };
    lines.push(line);
    node.append(line.node);
  };
  return {
    node,
    /** @param {import("./types").Cell} data */
    put(data) {
      const told = storyLines(data);
      while (lines.length < told.length) add();
      lines.forEach(({ name, said, node }, i) => {
        node.hidden = i >= told.length;
        if (node.hidden) return;
        const [part, ...parts] = told[i];
        const shown = sayOf("attention.part", String(part));
        if (name.textContent !== shown)
          name.replaceChildren(part === "output" ? shown : term(String(part), shown));
        node.className = `cell-line cell-of-${part}`;
        said.put(...parts);
      });
    },
  };
}

export const components = { cell_words: words };
