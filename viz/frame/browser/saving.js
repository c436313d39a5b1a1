// Saving the view as a whole, and requests to Python for files that only it can write.

import { saveButton } from "../../pictures/browser/saving/menu.js";
import { Refusal, save } from "../../pictures/browser/saving/saving.js";
import { say } from "../../pictures/browser/say.js";

const VIEW = "view"; // the name of the view's files

/** @type {import("../../pictures/browser/types").Setup} */
function saving(loupe, { host, signal }) {
  const waiting = new Map(); // number of a request -> the functions that take the answer
  let asked = 0;
  let trigger = (_event, _value) => {};
  /** @type {import("../../pictures/browser/wire").WireSaving} */
  let known = { provenance: {}, offline: null, number: 0, failed: "" };

  loupe.saving.ask = (wanted) =>
    new Promise((take, refuse) => {
      asked = Math.max(asked + 1, Date.now()); // different from the numbers of a page that was loaded before
      waiting.set(asked, { take, refuse });
      trigger("ask", { ...wanted, number: asked });
    });
  const offer = { name: VIEW, node: host };
  const item = (kind, text, off = "") => ({ text, off, act: () => save(loupe, offer, kind) });
  const items = () => [
    offlineItem(known.offline, item),
    item("npz", say("saving.npz")),
    item("safetensors", say("saving.safetensors")),
    { text: say("saving.link"), act: copyLink },
  ];
  const label = say("saving.save");
  const covered = () => loupe.saving.covered(VIEW);
  host.append(saveButton({ label, text: label, class: "loupe-save-view", covered, items }, signal));

  return ({ meta, file }, setTriggerValue) => {
    trigger = setTriggerValue;
    known = meta;
    loupe.saving.provenance = meta.provenance;
    const answer = waiting.get(meta.number);
    waiting.delete(meta.number);
    if (meta.failed) answer?.refuse(new Refusal(meta.failed));
    else answer?.take(Uint8Array.from(file.getChild("byte").toArray()));
  };
}

function offlineItem(bytes, item) {
  const tooLarge = say("saving.offline_too_large");
  if (bytes === null) return item("html", tooLarge, tooLarge);
  return item("html", say("saving.offline", { megabytes: Math.max(0.1, bytes / 1e6) }));
}

async function copyLink() {
  if (!navigator.clipboard) return location.href; // a page loaded by plain HTTP must not copy
  await navigator.clipboard.writeText(location.href);
  return say("saving.copied");
}

export const components = { saving };
