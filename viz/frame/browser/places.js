// The places of the app: which one is current and, in presenter mode, the buttons to the previous and next view.

import { createDeparture } from "../../pictures/browser/departure.js";
import { element, pushButton } from "../../pictures/browser/elements.js";
import { say } from "../../pictures/browser/say.js";

const KEYS = { PageUp: -1, PageDown: 1 };
const PAGE_LINK = "a[data-testid=stPageLink-NavLink]";
const OTHERS = "textarea, select, [role=listbox], [role=slider], [data-testid=stDataFrame]";

/** @type {import("../../pictures/browser/types").Setup} */
function places(loupe, { host, signal }) {
  let turn = null;
  let end = "";
  let first = "";
  const departure = loupe.part(createDeparture);
  const mark = () => {
    markLinks(end);
    nameOpener();
  };
  const drawn = new MutationObserver(mark); // because the marked elements may be drawn later
  drawn.observe(document.body, { childList: true, subtree: true });
  signal.addEventListener("abort", () => drawn.disconnect());
  loupe.root.addEventListener(
    "keydown",
    (event) => {
      const key = /** @type {KeyboardEvent} */ (event);
      const isHeld = key.ctrlKey || key.metaKey || key.altKey || key.shiftKey;
      if (!turn || !host.isConnected || !KEYS[key.key] || isHeld) return;
      if (document.querySelector("[role=dialog], dialog[open]")) return;
      if (key.target instanceof Element && key.target.matches(OTHERS)) return;
      key.preventDefault();
      turn(KEYS[key.key]);
    },
    { signal },
  );
  followLeaving(loupe, signal, () => first);
  return ({ pages, current, turns }, trigger) => {
    first = pages[0][0];
    departure.arrive(current, false);
    end = current === pages[0][0] ? "" : current; // the first page is at the root
    mark();
    let place = pages.findIndex(([url]) => url === current);
    turn = !turns
      ? null
      : (by) => {
          if (!pages[place + by]) return;
          place += by; // so that a second press before the page arrives leads to the one after it
          const page = pages[place][0];
          departure.go(page, () => trigger("turn", page));
        };
    host.replaceChildren(...(turns ? pager(pages, place, turn) : []));
  };
}

// Track when Streamlit leaves a page: when a link to another one is clicked, or the browser goes back or forward.
function followLeaving(loupe, signal, first) {
  const departure = loupe.part(createDeparture);
  const leaveFor = (address) => departure.leave(endOf(address) || first());
  const follow = (event) => {
    const isPlain = !(event.button || event.ctrlKey || event.metaKey || event.shiftKey);
    const link = event.target instanceof Element && event.target.closest(PAGE_LINK);
    if (isPlain && link) leaveFor(link.getAttribute("href"));
  };
  loupe.root.addEventListener("click", follow, { capture: true, signal });
  window.addEventListener("popstate", () => leaveFor(location.href), { signal });
}

// Return the last part of a path. The first page's link is only a query, so it must not be resolved on this page.
const endOf = (address) => address.split(/[?#]/)[0].split("/").pop();

// Mark the links to the current page, which Streamlit does not do, and scroll a row of links to the marked one.
function markLinks(end) {
  const links = document.querySelectorAll(":is(.st-key-places, .st-key-views) a");
  for (const link of links) {
    const isHere = endOf(link.getAttribute("href")) === end;
    if (isHere === link.hasAttribute("aria-current")) continue;
    if (!isHere) link.removeAttribute("aria-current");
    else {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "center" });
    }
  }
}

// Name the button that opens the side bar, because Streamlit names it in English; a style also shows the name.
function nameOpener() {
  const opener = document.querySelector("[data-testid=stExpandSidebarButton]");
  const name = say("frame.open_menu");
  if (opener && opener.getAttribute("aria-label") !== name) opener.setAttribute("aria-label", name);
}

function pager(pages, place, turn) {
  const button = (by, sign, name) => {
    const page = pages[place + by];
    const label = page ? say("frame.page_to", { name, page: page[1] }) : name;
    return pushButton(
      { disabled: !page, "aria-label": label, title: label, onclick: () => turn(by) },
      sign,
    );
  };
  return [
    button(-1, "‹", say("frame.page_before")),
    element("span", {}, pages[place]?.[1] ?? ""),
    button(1, "›", say("frame.page_after")),
  ];
}

export const components = { places };
