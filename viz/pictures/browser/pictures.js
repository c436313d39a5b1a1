// The pictures of one explorer: mounted by Streamlit, told what has changed, cleaned up after. One that fails leaves
// the others as they are.

import { isStyled, tooltip } from "./canvas.js";
import { element } from "./elements.js";

const STYLE_LOOK_MS = 100;

/** Keep the pictures of an explorer. */
export function createPictures() {
  const mounted = new Map(); // Streamlit's element -> the picture in it
  let looking = null; // timer until the style sheet is here

  const tell = (what) => {
    for (const picture of mounted.values()) attempt(picture, () => picture.listener?.(what));
  };

  // A style sheet may come after the first pictures, which then want their colours.
  const followStyle = () => {
    if (looking || isStyled()) return;
    looking = setTimeout(() => {
      looking = null;
      tell("run");
      followStyle();
    }, STYLE_LOOK_MS);
  };

  const mount = (loupe, name, setup, { data, parentElement, setTriggerValue }) => {
    if (!mounted.has(parentElement)) mounted.set(parentElement, createPicture(name, parentElement));
    const picture = mounted.get(parentElement);
    const cleanUp = () => {
      if (picture.cleanUp !== cleanUp) return;
      picture.end.abort();
      picture.host.remove();
      mounted.delete(parentElement);
      tooltip.hideIfGone();
    };
    picture.cleanUp = cleanUp; // of the latest mount: Streamlit also calls those of calls that came too late
    attempt(picture, () => {
      picture.update ??= setup(loupe, picture);
      picture.update(data, setTriggerValue);
      picture.apology?.remove();
    });
    followStyle();
    return cleanUp;
  };

  return { tell, mount };
}

function createPicture(name, parent) {
  const host = element("div", { class: `loupe-${name}` });
  const end = new AbortController();
  const picture = { name, host, end, signal: end.signal, listener: null, apology: null };
  parent.append(host);
  return Object.assign(picture, {
    listen: (listener) => {
      picture.listener = listener;
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
      "This picture could not be drawn.",
    );
    if (!picture.apology.isConnected) picture.host.append(picture.apology);
  }
}
