// Explanations of the terms on a page: beside a term that is pointed at, focused or tapped, and all of them in a list.

import { ground } from "./colours.js";
import { element, pushButton } from "./elements.js";
import { say } from "./say.js";

const OPEN_AFTER_MS = 150; // so that a pointer that only passes opens nothing
const CLOSE_AFTER_MS = 250; // time to move the pointer from the term to its explanation
const MARGIN = 8; // minimum distance in pixels between the explanation and the edge of the window

let glossaryCount = 0;

/** Make a term in a picture. viz/pictures/glossary.py writes those in Python's texts.
 * @param {string} key a key of glossary.py
 * @param {string} shown the words on the page
 */
export function term(key, shown) {
  return element(
    "span",
    {
      class: "loupe-term",
      role: "button",
      tabindex: "0",
      "aria-expanded": "false",
      "data-term": key,
    },
    shown,
  );
}

/** @type {import("./types").Setup} */
function glossary(loupe, { host, listen, signal }) {
  const terms = new Map(); // key -> the term as Python sent it
  const note = createNote(terms, `loupe-explained-${glossaryCount++}`);
  followPointer(loupe.root, note, signal);
  followKeys(loupe.root, note, signal);
  listen(note.closeIfGone);
  for (const event of ["scroll", "resize"])
    window.addEventListener(event, note.closeUnlessFocused, { capture: true, signal });
  signal.addEventListener("abort", note.remove);
  return (data) => {
    terms.clear();
    for (const each of data.terms) terms.set(each.key, each);
    host.replaceChildren(footer(data.terms));
  };
}

// Make the box that explains one term at a time. After a tap it stays open until the next click.
function createNote(terms, id) {
  const box = element("div", { id, class: "loupe-explained", role: "tooltip", popover: "manual" });
  let open = null; // the element of the explained term
  let pinned = false;

  const close = () => {
    open?.setAttribute("aria-expanded", "false");
    open?.removeAttribute("aria-describedby");
    open = null;
    pinned = false;
    if (box.isConnected) box.hidePopover();
  };
  const show = (node) => {
    const found = terms.get(node.dataset.term);
    if (!found || node === open) return;
    close();
    open = node;
    box.replaceChildren(element("b", {}, found.name), element("p", {}, found.text));
    if (!box.isConnected) ground().append(box);
    box.showPopover();
    put(box, node.getBoundingClientRect());
    node.setAttribute("aria-expanded", "true");
    node.setAttribute("aria-describedby", id);
  };
  return {
    box,
    show,
    close,
    isOpen: () => open !== null,
    isAt: (node) => node !== null && node === open,
    isPinned: () => pinned,
    toggle(node) {
      if (node === open && pinned) return close();
      show(node);
      pinned = node === open;
    },
    closeIfGone: () => open && !open.isConnected && close(),
    closeUnlessFocused: () => open && open !== document.activeElement && close(),
    remove() {
      close();
      box.remove();
    },
  };
}

// Place the box below the term, or above it if there is no room below, and within the window.
function put(box, { left, top, bottom }) {
  const { width, height } = box.getBoundingClientRect();
  const below = bottom + 6;
  const fits = below + height + MARGIN <= innerHeight;
  const rightmost = innerWidth - width - MARGIN;
  box.style.left = `${Math.max(MARGIN, Math.min(left, rightmost))}px`;
  box.style.top = `${Math.max(MARGIN, fits ? below : top - height - 6)}px`;
}

const termOf = (event) =>
  (event.target instanceof Element ? event.target : null)?.closest(".loupe-term");

// Listen on the root, because Streamlit may redraw texts at any time.
function followPointer(root, note, signal) {
  let timer = null;
  const later = (act, delay) => {
    clearTimeout(timer);
    timer = setTimeout(act, delay);
  };
  const leave = () => later(() => !note.isPinned() && note.closeUnlessFocused(), CLOSE_AFTER_MS);
  const on = (target, type, act) => target.addEventListener(type, act, { signal });
  on(root, "pointerover", (event) => {
    const node = termOf(event);
    if (event.pointerType === "mouse" && node && !note.isPinned())
      later(() => node.isConnected && note.show(node), OPEN_AFTER_MS);
  });
  on(root, "pointerout", (event) => event.pointerType === "mouse" && termOf(event) && leave());
  on(note.box, "pointerenter", () => clearTimeout(timer));
  on(note.box, "pointerleave", leave);
  on(root, "click", (event) => {
    const node = termOf(event);
    clearTimeout(timer);
    if (node) note.toggle(node);
    else if (!note.box.contains(event.target)) note.close();
  });
  signal.addEventListener("abort", () => clearTimeout(timer));
}

function followKeys(root, note, signal) {
  const options = { capture: true, signal };
  root.addEventListener(
    "focusin",
    (event) => {
      const node = termOf(event);
      if (node?.matches(":focus-visible")) note.show(node);
    },
    options,
  );
  root.addEventListener("focusout", (event) => note.isAt(termOf(event)) && note.close(), options);
  root.addEventListener(
    "keydown",
    (event) => {
      const node = termOf(event);
      if (event.key === "Escape" && note.isOpen()) note.close();
      else if (node && (event.key === "Enter" || event.key === " ")) note.toggle(node);
      else return;
      event.preventDefault(); // so that the page does not scroll and nothing starts to play
      event.stopPropagation();
    },
    options,
  );
}

// Make the footer of every page, which opens the list of all terms.
function footer(terms) {
  const close = pushButton({ onclick: () => dialog.close() }, say("glossary.close"));
  const title = `loupe-glossary-${glossaryCount++}`;
  const dialog = element(
    "dialog",
    { class: "loupe-glossary-list", "aria-labelledby": title },
    element("header", {}, element("h2", { id: title }, say("glossary.title")), close),
    element(
      "div",
      { class: "loupe-glossary-groups", tabindex: "0", role: "region", "aria-labelledby": title },
      ...[...Map.groupBy(terms, ({ group }) => group)].map(listed),
    ),
  );
  // The dialog fills the area outside of its contents, so a click there closes it, as people expect.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  const open = pushButton(
    { "aria-haspopup": "dialog", title: say("glossary.title"), onclick: () => dialog.showModal() },
    say("glossary.button"),
  );
  return element("footer", { class: "loupe-footer" }, open, dialog);
}

function listed([group, terms]) {
  return element(
    "section",
    {},
    element("h3", {}, group),
    element(
      "dl",
      {},
      ...terms.flatMap(({ name, text }) => [element("dt", {}, name), element("dd", {}, text)]),
    ),
  );
}

export const components = { glossary };
