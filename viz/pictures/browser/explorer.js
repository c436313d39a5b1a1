// One explorer: the runs it has, what is selected in them, the cell under the pointer, and the pictures that follow.
// Two explorers on one page know nothing of each other.

import { isStyled } from "./canvas.js";
import { clamp, element } from "./elements.js";
import { isAdrift, isPlaced } from "./place.js";

const STYLE_LOOK_MS = 100;

/** Make an explorer.
 * @param {Document | HTMLElement} root what holds its pictures: keys pressed elsewhere are not its own
 * @returns {import("./types").Loupe}
 */
export function createLoupe(root) {
  const parts = new Map(); // what makes a part -> the part
  const mounted = new Map(); // Streamlit's element -> the picture in it
  let looking = null; // timer until the style sheet is here

  /** @type {import("./types").Loupe} */
  const loupe = {
    root,
    runs: new Map(),
    selection: null,
    adrift: false,
    hover: null,
    page: "",
    display: { shows: "head", lines: 90, gold: false, order: "place", combined: false },
    tensor: null,
    card: null,
    exact: null,
    commit: () => {},
    keep: () => {},
    go: () => {},

    run: () => loupe.runs.get(loupe.selection?.run),
    stack: (kind = loupe.selection?.kind) => loupe.run()?.kinds[kind],

    part(make) {
      if (!parts.has(make)) parts.set(make, make(loupe));
      return parts.get(make);
    },

    select(changes) {
      const next = { ...loupe.selection, ...changes };
      const stack = loupe.stack(next.kind);
      if (!stack) return;
      next.layer = clamp(next.layer, stack.layers);
      next.head = clamp(next.head, stack.heads);
      next.query = clamp(next.query, stack.rows);
      next.key = clamp(next.key, stack.columns);
      if (next.kind !== "encoder self-attention" && "query" in changes) next.step = next.query;
      if (Object.keys(next).every((name) => next[name] === loupe.selection[name])) return;
      loupe.adrift = isAdrift(loupe.selection, changes) || (loupe.adrift && !isPlaced(changes));
      loupe.selection = next;
      loupe.commit();
      loupe.tell("selection");
    },

    adjust(changes) {
      if (Object.keys(changes).every((name) => changes[name] === loupe.display[name])) return;
      loupe.display = { ...loupe.display, ...changes };
      loupe.keep();
      loupe.tell("display");
    },

    point(hover) {
      if (JSON.stringify(hover) === JSON.stringify(loupe.hover)) return;
      loupe.hover = hover;
      loupe.tell("hover");
    },

    tell(what) {
      for (const picture of mounted.values()) {
        try {
          picture.listener?.(what);
        } catch (error) {
          report(picture, error);
        }
      }
    },

    mount(name, setup, { data, parentElement, setTriggerValue }) {
      const picture = mounted.get(parentElement) ?? addPicture(name, parentElement);
      const cleanUp = () => {
        if (picture.cleanUp === cleanUp) removePicture(parentElement, picture);
      };
      picture.cleanUp = cleanUp; // of the latest mount: Streamlit also calls those of calls that came too late
      try {
        picture.update ??= setup(loupe, picture);
        picture.update(data, setTriggerValue);
        picture.apology?.remove();
      } catch (error) {
        report(picture, error);
      }
      followStyle();
      return cleanUp;
    },
  };

  const addPicture = (name, parent) => {
    const host = element("div", { class: `loupe-${name}` });
    const end = new AbortController();
    const picture = {
      name,
      host,
      end,
      signal: end.signal,
      listener: null,
      listen: (listener) => {
        picture.listener = listener;
      },
    };
    parent.append(host);
    mounted.set(parent, picture);
    return picture;
  };

  const removePicture = (parent, picture) => {
    picture.end.abort();
    picture.host.remove();
    mounted.delete(parent);
  };

  // A style sheet may come after the first pictures, which then want their colours.
  const followStyle = () => {
    if (looking || isStyled()) return;
    looking = setTimeout(() => {
      looking = null;
      loupe.tell("run");
      followStyle();
    }, STYLE_LOOK_MS);
  };

  return loupe;
}

// One picture that fails leaves the others as they are.
function report(picture, error) {
  console.error(`loupe: the picture "${picture.name}" failed`, error);
  picture.apology ??= element(
    "p",
    { class: "loupe-note", role: "status" },
    "This picture could not be drawn.",
  );
  if (!picture.apology.isConnected) picture.host.append(picture.apology);
}
