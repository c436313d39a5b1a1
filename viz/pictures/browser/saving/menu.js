// The save button at the corner of a picture, and its menu of file formats.

import { ground } from "../colours.js";
import { element, pushButton } from "../elements.js";
import { say } from "../say.js";
import { Refusal, save } from "./saving.js";

const MARGIN = 8; // pixels between a menu and the window's edge

/** Make a button that opens a menu of actions.
 * @param {{ label: string, text: string, class?: string, covered: () => string | null,
 *   items: () => { text: string, act: () => Promise<string | void>, off?: string }[] }} given the name of the button,
 *   the items of its menu, made when it opens, and `covered`, the reason why none is allowed
 * @param {AbortSignal} signal ends the button's menu
 */
export function saveButton({ label, text, class: kind = "", covered, items }, signal) {
  const said = element("p", { class: "loupe-note", role: "status", hidden: true });
  const list = element("div", { role: "menu", "aria-label": label });
  const menu = element("div", { class: "loupe-save-menu", popover: "auto" }, list, said);
  const button = pushButton(
    {
      class: `loupe-save ${kind}`,
      "aria-haspopup": "menu",
      "aria-label": label,
      "aria-expanded": "false",
    },
    text,
  );
  const tell = (what) => {
    said.textContent = what;
    said.hidden = !what;
  };
  const press = async (act) => {
    tell(say("saving.busy"));
    try {
      const done = await act();
      tell(done ?? "");
      if (!done) menu.hidePopover();
    } catch (error) {
      console.warn("loupe: not saved", error);
      tell(error instanceof Refusal ? error.message : say("saving.failed"));
    }
  };
  const open = () => {
    const why = covered();
    tell(why ?? "");
    list.replaceChildren(...(why ? [] : items().map((item) => menuItem(item, press))));
    ground().append(menu);
    menu.showPopover();
    put(menu, button.getBoundingClientRect());
    list.querySelector("button")?.focus();
  };
  button.addEventListener("click", open);
  menu.addEventListener("keydown", (event) => moveByKey(event, list, menu, button));
  menu.addEventListener("toggle", (event) => {
    const isOpen = /** @type {ToggleEvent} */ (event).newState === "open";
    button.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen && menu.contains(document.activeElement)) button.focus();
  });
  signal.addEventListener("abort", () => menu.remove());
  return button;
}

/** @param {{ text: string, act: () => Promise<string | void>, off?: string }} item */
function menuItem({ text, act, off }, press) {
  const node = pushButton(
    { role: "menuitem", tabindex: "-1", title: off, "aria-disabled": off ? "true" : null },
    text,
  );
  if (!off) node.addEventListener("click", () => press(act));
  return node;
}

function moveByKey(event, list, menu, button) {
  event.stopPropagation(); // because elsewhere these keys move the selection
  const items = [...list.querySelectorAll("button")];
  const at = items.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    items.at(to % items.length)?.focus();
  } else if (event.key === "Escape" || event.key === "Tab") {
    menu.hidePopover();
    button.focus();
    if (event.key === "Escape") event.preventDefault();
  }
}

// Place the menu below the button, or above it if there is no room below, and within the window.
function put(box, { right, top, bottom }) {
  const { width, height } = box.getBoundingClientRect();
  const fits = bottom + 4 + height + MARGIN <= innerHeight;
  box.style.left = `${Math.max(MARGIN, Math.min(right - width, innerWidth - width - MARGIN))}px`;
  box.style.top = `${Math.max(MARGIN, fits ? bottom + 4 : top - height - 4)}px`;
}

/** Make a button that saves one thing in every available format.
 * @param {import("../types").Loupe} loupe
 * @param {import("../types").Offer} offer
 * @param {AbortSignal} signal ends the button's menu
 */
export function saveButtonFor(loupe, offer, signal) {
  const item = (kind, text) => ({ text, act: () => save(loupe, offer, kind) });
  const items = () => [
    item("png", say("saving.png")),
    item("svg", say("saving.svg")),
    ...(offer.table ? [item("csv", say("saving.csv"))] : []),
    ...(loupe.saving.ask
      ? [item("npz", say("saving.npz")), item("safetensors", say("saving.safetensors"))]
      : []),
  ];
  const covered = () => loupe.saving.covered(offer.name);
  return saveButton(
    { label: say("saving.label", { name: offer.name }), text: say("saving.save"), covered, items },
    signal,
  );
}

/** Let the pictures of an explorer be saved, unless `covered`, the one place for that, returns a reason against it.
 * @param {import("../types").Loupe} loupe the explorer, before its pictures are mounted
 */
export function letSave(loupe) {
  loupe.saving = {
    provenance: {},
    ask: null,
    covered: () => null,
    attach({ host, signal, offer }) {
      if (!offer) return;
      const button = saveButtonFor(loupe, { node: host, ...offer }, signal);
      host.after(button);
      host.parentElement.classList.add("loupe-saved");
      signal.addEventListener("abort", () => button.remove());
    },
  };
}
