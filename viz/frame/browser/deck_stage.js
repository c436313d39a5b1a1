// The screen of a lecture: a slide's view once it has arrived, and the style rules that show only one part of it.

import { doubtColours, ground } from "../../pictures/browser/colours.js";
import { element } from "../../pictures/browser/elements.js";
import { say } from "../../pictures/browser/say.js";
import { aloneRules, fit, GIVING } from "./deck_fit.js";
import { COVERED, drawParts, fillPanels } from "./deck_parts.js";
import { createWatch } from "./deck_there.js";
import { panelNode } from "./deck_view.js";

const AROUND = 40; // pixels above and below a part
const WIDE_MS = 300; // after which pictures have taken the width of the hidden parts

// Do something while the picture of a slide is not covered, before anybody can see it.
export function uncovered(act) {
  const { classList } = document.documentElement;
  const was = classList.contains(COVERED);
  classList.remove(COVERED);
  try {
    act();
  } finally {
    classList.toggle(COVERED, was);
  }
}

// Make the parts around the picture of a slide, and the rules that show the picture alone on the page.
export function createStage(loupe, signal) {
  const parts = {
    top: element("header", { class: "loupe-slide-top" }),
    veil: element("section", { class: "loupe-slide-veil", tabindex: "-1" }),
    bar: element("nav", { class: "loupe-slide-bar", "aria-label": say("deck.show.bar") }),
    rules: element("style"),
  };
  const arrival = createArrival(loupe, parts);
  let shown = ""; // the id of the current slide, because only a new one scrolls to the top
  const leave = () => {
    arrival.leave();
    for (const part of Object.values(parts)) part.remove();
    document.documentElement.classList.remove(GIVING, COVERED);
    shown = "";
  };
  signal.addEventListener("abort", leave);
  return {
    show(state) {
      if (!state) return leave();
      const { slide } = state;
      if (!parts.top.isConnected) ground().append(...Object.values(parts));
      drawParts(state, parts);
      if (shown !== slide.id) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
      shown = slide.id;
    },
    whenThere: (slide, address, act) => arrival.wait(slide, address, () => shown === slide.id, act),
  };
}

// Once the view of a slide has arrived, show only its part, or report that the part is missing.
function createArrival(loupe, { top, bar, rules }) {
  let arrived = ""; // the slide whose view has arrived
  let alone = ""; // the part of it that is shown
  let refit = null;
  let missing = null; // the message that the part is missing
  const watch = createWatch();
  const redraw = () => {
    doubtColours(); // and the size of letters with them
    loupe.tell("run");
  };
  return {
    leave() {
      watch.stop();
      clearTimeout(refit);
      arrived = "";
    },
    wait({ id, panel }, address, isShown, act) {
      clearTimeout(refit);
      const isNew = arrived !== id;
      const fitted = () => {
        const part = isShown() && panelNode(panel);
        const room = innerHeight - top.offsetHeight - bar.offsetHeight - AROUND;
        if (part) fit(rules, aloneRules(panel), part, room, redraw);
      };
      const arrive = () => {
        if (!isShown()) return;
        arrived = id;
        alone = panel;
        missing?.remove();
        if (panel && !panelNode(panel)) {
          rules.textContent = "";
          missing = element("p", { class: "loupe-note", role: "status" }, say("deck.show.missing"));
          top.append(missing);
          watch.follow(panel, arrive);
        }
        fitted();
        refit = setTimeout(fitted, WIDE_MS);
        const choose = bar.querySelector("select");
        if (choose) fillPanels(choose, panel);
        act();
      };
      if (!isNew && alone === panel) return arrive();
      rules.textContent = panel ? aloneRules(panel) : "";
      rules.dataset.share = "";
      watch.wait({ address, panel, isNew }, arrive);
    },
  };
}
