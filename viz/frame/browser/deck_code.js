// The QR code that leads the class to the current view, large enough for a hall; Python draws it.

import { ground } from "../../pictures/browser/colours.js";
import { element, pushButton } from "../../pictures/browser/elements.js";
import { say } from "../../pictures/browser/say.js";
import { addressOf, linkOfAddress } from "./deck_view.js";

const LOOPBACK = /^(localhost|127(\.[0-9]{1,3}){3}|\[::1\]|0\.0\.0\.0)$/;
const LONGEST_ADDRESS = 200;
const START = "python3 start.py --server.address 0.0.0.0"; // so that others can open the app

/** Return whether a server's name means the machine on which it is used. @param {string} name */
export const isThisMachine = (name) => LOOPBACK.test(name);

/** Return where others reach this server: the browser's address, or the machine's number in its network.
 * @param {{protocol: string, hostname: string, port: string, origin: string}} here
 * @param {{local: boolean, number: string | null}} reach
 */
export function originForOthers(here, { local, number }) {
  if (!isThisMachine(here.hostname)) return here.origin;
  if (local || !number) return "";
  return `${here.protocol}//${number}${here.port ? `:${here.port}` : ""}`;
}

/** Return what is wrong with an address for others: nothing, or why they cannot open it.
 * @param {string} text
 * @param {boolean} local whether the server listens to its own machine only
 */
export function faultOfAddress(text, local) {
  if (!/^https?:\/\/[^/\s?#]/.test(text) || text.length > LONGEST_ADDRESS || !URL.canParse(text))
    return "wrong";
  return isThisMachine(new URL(text).hostname) ? (local ? "local" : "localName") : "";
}

/** Make the window with the code.
 * @param {HTMLElement} host
 * @param {AbortSignal} signal
 */
export function createCode(host, signal) {
  const dialog = element("dialog", { class: "loupe-code", "aria-label": say("deck.code.title") });
  let asked = ""; // the address for the code
  let typed = ""; // where others reach this server, as typed by a person
  let given = null;
  const place = element("div", { class: "loupe-code-place", role: "status" });
  const close = () => dialog.close();
  signal.addEventListener("abort", () => dialog.remove());
  const draw = (app, path, send) => {
    const origin = typed || originForOthers(location, app.reach);
    const fault = origin
      ? faultOfAddress(origin, app.reach.local)
      : app.reach.local
        ? "local"
        : "localName";
    asked = fault ? "" : `${origin.replace(/\/$/, "")}${path}`;
    if (fault) place.replaceChildren(...faultParts(fault));
    else {
      place.replaceChildren(element("p", {}, say("deck.code.waiting")));
      if (given?.text === asked) put(given);
      else send("code", asked);
    }
  };
  const put = (code) => place.replaceChildren(...codeParts(code));
  return {
    open(app, link, send) {
      const path = addressOf(link ?? linkOfAddress(location, app), app, false);
      const field = element("input", {
        type: "url",
        value: typed || originForOthers(location, app.reach) || location.origin,
        maxlength: String(LONGEST_ADDRESS),
        "aria-label": say("deck.code.address"),
        onchange: (event) => {
          typed = event.target.value.trim();
          draw(app, path, send);
        },
      });
      dialog.replaceChildren(
        element("h2", {}, say("deck.code.title")),
        place,
        element("label", {}, say("deck.code.address"), field),
        pushButton({ onclick: close }, say("deck.code.close")),
      );
      if (!dialog.isConnected) ground().append(dialog);
      draw(app, path, send);
      if (!dialog.open) dialog.showModal();
    },
    /** @param {import("../../pictures/browser/wire").WireSlides} app with the code that Python drew last */
    answer({ code }) {
      given = code;
      if (code && code.text === asked && dialog.open) put(code);
    },
    host,
  };
}

function codeParts({ text, size, path, most }) {
  if (!size) return [element("p", {}, say("deck.code.too_long", { count: text.length, most }))];
  const edge = 4; // modules of white that a reader needs around a code
  const whole = size + 2 * edge;
  return [
    element(
      "svg:svg",
      {
        viewBox: `${-edge} ${-edge} ${whole} ${whole}`,
        role: "img",
        "aria-label": say("deck.code.title"),
      },
      element("svg:rect", { x: -edge, y: -edge, width: whole, height: whole, fill: "#fff" }),
      element("svg:path", { d: path, fill: "#000", "shape-rendering": "crispEdges" }),
    ),
    element("p", { class: "loupe-code-text" }, text),
  ];
}

function faultParts(fault) {
  if (fault !== "local")
    return [
      element(
        "p",
        {},
        fault === "localName" ? say("deck.code.local_name") : say("deck.code.wrong"),
      ),
    ];
  return [
    element("p", {}, say("deck.code.local")),
    element("p", {}, say("deck.code.start")),
    element("pre", {}, START),
    element("p", {}, say("deck.code.after_it")),
  ];
}
