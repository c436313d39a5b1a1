// What the two heads do in one row, in words: each sentence a list of texts and elements.

import { element } from "../../../pictures/browser/elements.js";

const token = (text) => element("em", { class: "loupe-token" }, text);
const percent = (thousandths) => `${Math.round(thousandths / 10)} %`;
const head = (name, kind) => element("b", { class: kind }, name);

/** Tell what happens in a row, step by step.
 * @param {import("./wire").WireTrick} data
 * @param {number} row
 * @param {{read: number[], most: number, isCopy: boolean, before: number[] | null, chance: number, next: string}} parts
 */
export function trickStory(data, row, parts) {
  const here = () => token(data.tokens[row]);
  const told = [token(parts.next), ` comes next with ${percent(1000 * parts.chance)}.`];
  if (!data.followers[row].length)
    return [[here(), " stands here for the first time: there is nothing to copy."], told];
  const copier = head(data.copier.name, "trick-copier");
  const read = data.followers[row].reduce((sum, place) => sum + parts.read[place], 0);
  if (!parts.isCopy)
    return [
      [
        copier,
        " gives only ",
        percent(read),
        " of its weight to what followed ",
        here(),
        " before.",
      ],
      told,
    ];
  const found = () => token(data.tokens[parts.most]);
  const steps = [
    [
      copier,
      " finds the place after ",
      here(),
      ": ",
      percent(read),
      " of its weight reads ",
      found(),
      ".",
    ],
    told,
  ];
  if (data.before && parts.before)
    steps.unshift([
      head(data.before.name, "trick-before"),
      " had told ",
      found(),
      " what stands before it: ",
      percent(parts.before[parts.most - 1]),
      " of its weight there reads ",
      here(),
      ".",
    ]);
  return steps;
}
