// Whether a key press may move the picture or is needed elsewhere.

const TYPED_INTO =
  "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [role=listbox], [role=combobox]";
const MOVED_IN =
  "input, [role=slider], [role=tablist], [role=grid], [role=menu], [data-testid=stDataFrame]";
const SIGN = /^[^\s\p{L}\p{N}]$/u;

/** Return whether a key press is for something else: typing, a list, a slider, a dialog, a shortcut.
 * @param {KeyboardEvent} event
 */
export function keyboardInUse(event) {
  return isShortcut(event) || isTypedInto(event);
}

/** Return whether the focused element uses this key itself.
 * @param {KeyboardEvent} event
 */
export function isTypedInto(event) {
  if (document.querySelector("[role=dialog], dialog[open]")) return true;
  const moves = event.key.startsWith("Arrow") || ["Home", "End"].includes(event.key);
  return event
    .composedPath()
    .some(
      (node) =>
        node instanceof HTMLElement &&
        (node.isContentEditable || node.matches(TYPED_INTO) || (moves && node.matches(MOVED_IN))),
    );
}

// Many keyboards write [ and ] with AltGr, which is Ctrl and Alt at once on Windows, or with Option on a Mac.
function isShortcut(event) {
  const held = event.ctrlKey || event.metaKey || event.altKey;
  if (!held || !SIGN.test(event.key)) return held;
  return !event.getModifierState("AltGraph") && (event.ctrlKey || event.metaKey);
}
