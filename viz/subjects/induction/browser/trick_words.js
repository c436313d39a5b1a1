// What the two heads do in one row, in words: each sentence a list of texts and elements.

import { element } from "../../../pictures/browser/elements.js";
import { filled } from "../../../pictures/browser/filled.js";
import { percentText } from "../../../pictures/browser/numbers.js";
import { say } from "../../../pictures/browser/say.js";

const token = (text) => element("em", { class: "loupe-token" }, text);
const percent = (thousandths) => percentText(thousandths / 1000);
const head = (name, kind) => element("b", { class: kind }, name);

/** Describe what happens in a row, step by step.
 * @param {import("./wire").WireTrick} data
 * @param {number} row
 * @param {{read: number[], most: number, isCopy: boolean, before: number[] | null, chance: number, next: string}} parts
 */
export function trickStory(data, row, parts) {
  const here = () => token(data.tokens[row]);
  const next = { token: token(parts.next), share: percentText(parts.chance) };
  const told = filled(say("induction.next"), next);
  if (!data.followers[row].length)
    return [filled(say("induction.first_time"), { here: here() }), told];
  const copier = head(data.copier.name, "trick-copier");
  const read = (places) => percent(places.reduce((sum, place) => sum + parts.read[place], 0));
  const places = data.followers[row];
  if (!parts.isCopy || !data.copier.does[row])
    return [
      filled(say("induction.reads_little"), { copier, share: read(places), here: here() }),
      told,
    ];
  const found = () => token(data.tokens[parts.most]);
  const share = read(places.filter((place) => data.tokens[place] === data.tokens[parts.most]));
  const steps = [
    filled(say("induction.finds"), { copier, here: here(), share, found: found() }),
    told,
  ];
  if (data.before && parts.before) {
    const told = {
      before: head(data.before.name, "trick-before"),
      found: found(),
      share: percent(parts.before[parts.most - 1]),
      here: here(),
    };
    const does = data.before.does[parts.most];
    steps.unshift(filled(does ? say("induction.had_told") : say("induction.not_told"), told));
  }
  return steps;
}
