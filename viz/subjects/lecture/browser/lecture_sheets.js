// The lecture on paper, one slide per sheet. The sheets are always beside the page, but only a printer shows them.

import { TO_PRINT } from "../../../frame/browser/deck_giving.js";
import { pictureOf } from "../../../frame/browser/deck_pictures.js";
import { whenStill } from "../../../frame/browser/deck_there.js";
import { partsOfLink } from "../../../frame/browser/deck_view.js";
import { element, pageMark, pushButton } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";
import { madeOf } from "./lecture_words.js";

const PATIENCE_MS = 10_000; // to wait for pictures that are loading

/** @param {any} parts the parts of the page */
export function createSheets(parts) {
  const { store, giving, app, signal } = parts;
  const sheets = element("div", { class: "loupe-sheets", "aria-hidden": "true" });
  document.body.append(sheets);
  signal.addEventListener("abort", () => sheets.remove());
  const mark = pageMark("loupe-has-sheets", signal);
  const notes = element("input", { type: "checkbox", onchange: () => draw() });
  const print = pushButton({ onclick: () => giving.print() }, say("lecture.print"));
  const draw = () => {
    const { slides } = store.read();
    print.disabled = !slides.length;
    mark(slides.length > 0);
    sheets.replaceChildren(...slides.map((slide) => sheet(slide, app, notes.checked)));
    if (slides.length && !giving.place() && sessionStorage.getItem(TO_PRINT)) {
      sessionStorage.removeItem(TO_PRINT);
      whenStill(() => printWhenRead(sheets));
    }
  };
  return { tools: [print, element("label", {}, notes, say("lecture.with_notes"))], draw };
}

async function printWhenRead(sheets) {
  const read = Promise.all([...sheets.querySelectorAll("img")].map((one) => one.decode()));
  await Promise.race([read.catch(() => {}), new Promise((done) => setTimeout(done, PATIENCE_MS))]);
  window.print();
}

function sheet(slide, app, hasNotes) {
  const source = pictureOf(slide);
  const shown = partsOfLink(slide.link, app.data);
  const made = {
    model: shown.checkpoint,
    source: shown.source,
    day: new Date().toISOString().slice(0, 10),
    link: slide.link.length > LONGEST_LINK ? shown.page : slide.link,
  };
  return element(
    "section",
    { class: "loupe-sheet" },
    element("h2", {}, slide.title),
    slide.question ? element("p", { class: "loupe-sheet-asked" }, slide.question) : null,
    source
      ? element("img", { src: source, alt: slide.shows })
      : element("p", {}, say("lecture.no_picture")),
    hasNotes && slide.notes ? element("p", { class: "loupe-sheet-notes" }, slide.notes) : null,
    element("footer", {}, madeOf(made)),
  );
}

const LONGEST_LINK = 300; // most characters of a link that can be typed from paper
