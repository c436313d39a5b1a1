// The tools of a hand: to pull or to cut; in a fold, to paint, which kind of attention, and which heads.

import { element, pushButton } from "../../../pictures/browser/elements.js";
import { say, sayOf } from "../../../pictures/browser/say.js";

const KINDS = ["cross-attention", "encoder self-attention", "decoder self-attention"];
const SCOPES = ["all", "layer", "head"];

/** Build the tools.
 * @param {{kind(value: string): void, scope(value: string): void, tool(value: string): void,
 *   layer(value: number): void, head(value: number): void}} choose
 * @param {HTMLElement} check the element that shows PyTorch's check
 */
export function createTools(choose, check) {
  const tools = say("touch.tools");
  const groups = {
    tool: segmented(tools, ["pull", "cut"], toolName, choose.tool),
    paint: segmented(tools, ["paint"], toolName, choose.tool),
    scope: segmented(say("touch.scopes"), SCOPES, scopeName, choose.scope),
    kind: segmented(say("touch.kinds"), KINDS, kindName, choose.kind),
  };
  const layer = list(say("touch.layer"), choose.layer);
  const head = list(say("touch.head"), choose.head);
  const more = [groups.scope, layer, head, groups.kind, groups.paint].map(({ node }) => node);
  const node = element(
    "div",
    { class: "loupe-touch-tools" },
    groups.tool.node,
    element("details", {}, element("summary", {}, say("touch.more")), element("div", {}, ...more)),
    check,
  );
  return {
    node,
    /** @param {import("./types").Scene} scene @param {{layers: number, heads: number}} stack @param {string[]} kinds */
    show({ place, tool }, stack, kinds) {
      groups.kind.node.hidden = kinds.length < 2;
      groups.kind.set(place.kind);
      groups.scope.set(place.scope);
      groups.tool.set(tool);
      groups.paint.set(tool);
      layer.set(stack.layers, place.layer, place.scope !== "all");
      head.set(stack.heads, place.head, place.scope === "head");
    },
  };
}

const toolName = (tool) => sayOf("touch.tool", tool);
const scopeName = (scope) => sayOf("touch.scope", scope);
const kindName = (kind) => sayOf("touch.kind", kind);

function segmented(label, values, nameOf, choose) {
  const buttons = values.map((value) =>
    pushButton({ "data-value": value, onclick: () => choose(value) }, nameOf(value)),
  );
  return {
    node: element("div", { class: "loupe-choice", role: "group", "aria-label": label }, ...buttons),
    set(value) {
      for (const button of buttons)
        button.setAttribute("aria-pressed", String(button.dataset.value === value));
    },
  };
}

function list(label, choose) {
  const select = element("select", {
    "aria-label": label,
    onchange: () => choose(Number(select.value)),
  });
  const node = element("label", { class: "loupe-touch-list" }, `${label} `, select);
  return {
    node,
    set(size, value, isShown) {
      node.hidden = !isShown;
      if (size !== select.children.length)
        select.replaceChildren(
          ...Array.from({ length: size }, (_, i) => element("option", { value: i }, String(i))),
        );
      select.value = String(value);
    },
  };
}
