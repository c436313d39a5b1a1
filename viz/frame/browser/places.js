// The places of the app: which one is in view, and in presenter mode the way to the view before and after.

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
  const drawn = new MutationObserver(mark); // what is marked may be drawn after this
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
    end = current === pages[0][0] ? "" : current; // the first page lives at the root
    mark();
    let place = pages.findIndex(([url]) => url === current);
    turn = !turns
      ? null
      : (by) => {
          if (!pages[place + by]) return;
          place += by; // a second press before the page is there means the one behind it
          const page = pages[place][0];
          departure.go(page, () => trigger("turn", page));
        };
    host.replaceChildren(...(turns ? pager(pages, place, turn) : []));
  };
}

// Streamlit leaves a page when a link to another one is clicked, and when the browser goes back or forward.
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

// The first page's link is nothing but a query: resolved, it would lead to the page in view.
const endOf = (address) => address.split(/[?#]/)[0].split("/").pop();

// Streamlit does not tell of a link that it leads here; a row that is moved sideways is moved to that one.
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

// Streamlit names what opens the side bar in English, and for those alone who do not see it: its style writes this out.
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
