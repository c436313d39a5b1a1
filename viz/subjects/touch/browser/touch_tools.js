// What a hand can choose: which attention, which heads, which tool, and the head to copy a row from.

import { element, pushButton } from "../../../pictures/browser/elements.js";
import { say, sayOf } from "../../../pictures/browser/say.js";

const KINDS = ["cross-attention", "encoder self-attention", "decoder self-attention"];
const SCOPES = ["all", "layer", "head"];
const TOOLS = ["pull", "paint", "cut"];

/** Build the tools.
 * @param {{kind(value: string): void, scope(value: string): void, tool(value: string): void,
 *   layer(value: number): void, head(value: number): void, copy(head: number): void}} choose
 */
export function createTools(choose) {
  const groups = {
    kind: segmented(say("touch.kinds"), KINDS.map(kindOption), choose.kind),
    scope: segmented(say("touch.scopes"), SCOPES.map(scopeOption), choose.scope),
    tool: segmented(say("touch.tools"), TOOLS.map(toolOption), choose.tool),
  };
  const layer = list(say("touch.layer"), choose.layer);
  const head = list(say("touch.head"), choose.head);
  const copy = list(say("touch.copy"), choose.copy, "…");
  const node = element(
    "div",
    { class: "loupe-touch-tools" },
    groups.tool.node,
    groups.scope.node,
    layer.node,
    head.node,
    groups.kind.node,
    copy.node,
  );
  return {
    node,
    /** @param {import("./types").Scene} scene @param {{layers: number, heads: number}} stack @param {string[]} kinds */
    show({ place, tool }, stack, kinds) {
      groups.kind.node.hidden = kinds.length < 2;
      groups.kind.set(place.kind);
      groups.scope.set(place.scope);
      groups.tool.set(tool);
      layer.set(stack.layers, place.layer, place.scope !== "all");
      head.set(stack.heads, place.head, place.scope === "head");
      copy.set(stack.heads, null, stack.heads > 1);
    },
  };
}

const kindOption = (kind) => [kind, sayOf("touch.kind", kind)];
const scopeOption = (scope) => [scope, sayOf("touch.scope", scope)];
const toolOption = (tool) => [tool, sayOf("touch.tool", tool)];

function segmented(label, options, choose) {
  const buttons = options.map(([value, words]) =>
    pushButton({ "data-value": value, onclick: () => choose(value) }, words),
  );
  return {
    node: element("div", { class: "loupe-choice", role: "group", "aria-label": label }, ...buttons),
    set(value) {
      for (const button of buttons)
        button.setAttribute("aria-pressed", String(button.dataset.value === value));
    },
  };
}

// A list of numbers; with a word of its own first where it is not a choice that stays.
function list(label, choose, first = null) {
  const select = element("select", {
    "aria-label": label,
    onchange: () => {
      if (select.value !== "") choose(Number(select.value));
      if (first !== null) select.value = "";
    },
  });
  const node = element("label", { class: "loupe-touch-list" }, `${label} `, select);
  let count = -1;
  return {
    node,
    set(size, value, isShown) {
      node.hidden = !isShown;
      if (size !== count) {
        const numbers = Array.from({ length: size }, (_, i) =>
          element(
            "option",
            { value: i },
            first === null ? String(i) : say("touch.head_number", { head: i }),
          ),
        );
        const none = first === null ? [] : [element("option", { value: "" }, first)];
        select.replaceChildren(...none, ...numbers);
        count = size;
      }
      select.value = value === null ? "" : String(value);
    },
  };
}
