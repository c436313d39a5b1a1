// The pictures of one explorer: they are mounted by Streamlit, told of changes, and cleaned up. If one fails, the
// others stay as they are.

import { doubtColours, followColours, isStyled, lookAtColours } from "./colours.js";
import { createDeparture } from "./departure.js";
import { drawTogether, element } from "./elements.js";
import { language, say } from "./say.js";
import { tooltip } from "./tooltip.js";

const STYLE_LOOK_MS = 100;

/** Manage the pictures of an explorer. */
export function createPictures() {
  const mounted = new Map(); // Streamlit's element -> the picture in it

  const tell = (what) => {
    const hosts = Array.from(mounted.values(), ({ host }) => host);
    drawTogether(hosts, () => {
      // This also reaches pictures that are mounted during the loop.
      for (const picture of mounted.values()) attempt(picture, () => picture.listener?.(what));
    });
  };

  // Draw again the canvases of all pictures inside a part of the page or around it.
  const redraw = (node) => {
    for (const [parent, picture] of mounted)
      if ((node.contains(parent) || parent.contains(node)) && parent.querySelector("canvas"))
        attempt(picture, () => picture.listener?.("run"));
  };

  const followStyle = createStyleFollower(() => tell("run"));
  const mount = (loupe, name, setup, { data, parentElement, setTriggerValue }) => {
    if (mounted.get(parentElement)?.language !== language()) mounted.get(parentElement)?.cleanUp();
    if (!mounted.has(parentElement)) mounted.set(parentElement, createPicture(name, parentElement));
    const picture = mounted.get(parentElement);
    const cleanUp = () => {
      if (picture.cleanUp !== cleanUp) return;
      picture.end.abort();
      picture.host.remove();
      mounted.delete(parentElement);
      tooltip.hideIfGone();
    };
    picture.cleanUp = cleanUp; // of the latest mount, because Streamlit also calls those of earlier mounts
    picture.draw = () => {
      if (!picture.update) {
        picture.update = setup(loupe, picture);
        loupe.saving?.attach(picture);
      }
      picture.update(data, loupe.part(createDeparture).guard(picture, setTriggerValue));
      picture.apology?.remove();
    };
    attempt(picture, picture.draw);
    followStyle();
    lookAtColours();
    return cleanUp;
  };
  followColours(() => {
    for (const picture of mounted.values()) attempt(picture, picture.draw);
    tell("run");
  });

  return { tell, redraw, mount };
}

// Redraw pictures that were drawn before their style sheet arrived.
function createStyleFollower(redrawAll) {
  let looking = null; // timer until the style sheet is here
  const follow = () => {
    if (looking || isStyled()) return;
    looking = setTimeout(() => {
      looking = null;
      doubtColours();
      redrawAll();
      follow();
    }, STYLE_LOOK_MS);
  };
  return follow;
}

function createPicture(name, parent) {
  const host = element("div", { class: `loupe-${name}` });
  const end = new AbortController();
  const picture = {
    name,
    language: language(),
    host,
    end,
    signal: end.signal,
    listener: null,
    draw: () => {},
    offer: null,
    apology: null,
  };
  parent.append(host);
  return Object.assign(picture, {
    listen: (listener) => {
      picture.listener = listener;
    },
    save: (offer) => {
      picture.offer = offer;
    },
  });
}

function attempt(picture, act) {
  try {
    act();
  } catch (error) {
    console.error(`loupe: the picture "${picture.name}" failed`, error);
    picture.apology ??= element(
      "p",
      { class: "loupe-note", role: "status" },
      say("picture.failed"),
    );
    if (!picture.apology.isConnected) picture.host.append(picture.apology);
  }
}
