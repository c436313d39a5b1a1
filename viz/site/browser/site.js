// The site of plain files: one sentence, which the browser's own model runs at each key press, and the pages about it.

import { followScheme } from "../../alone/browser/page.js";
import { createBar, components as field, sourceField } from "../../frame/browser/field.js";
import { clamp, element } from "../../pictures/browser/elements.js";
import { createLoupe } from "../../pictures/browser/explorer.js";
import { showLoading } from "../../pictures/browser/live/coming.js";
import { createModels, readFiles } from "../../pictures/browser/live/models.js";
import { ModelFault } from "../../pictures/browser/live/parts.js";
import { createRunner } from "../../pictures/browser/live/runner.js";
import { createTyped } from "../../pictures/browser/live/typed.js";
import { TYPED, typedNow } from "../../pictures/browser/run.js";
import { letSave } from "../../pictures/browser/saving/menu.js";
import { language, say, sayOf, speak } from "../../pictures/browser/say.js";
import { components as selection } from "../../pictures/browser/selection.js";
import { readingsOf } from "../../subjects/attention/browser/head_weights.js";
import { createAddress } from "./address.js";
import { drawFrame, LONGEST } from "./frame.js";
import { beginLesson, LESSONS, listLessons, stepOf } from "./lesson.js";
import { PAGES, put } from "./pages.js";

/** @typedef {import("../../pictures/browser/wire").WireSite} WireSite */
/** @typedef {import("../../pictures/browser/wire").WireSiteModel} WireSiteModel */

/** Draw the page that the address names.
 * @param {Document} page
 * @param {WireSite & { weights?: Uint8Array }} sent
 * @param {Record<string, any>} modules the modules of the page by their paths
 */
export async function begin(page, sent, modules) {
  /** @type {typeof import("./lecture.js") | undefined} undefined without a lecture */
  const lecture = modules["site/browser/lecture.js"];
  const address = createAddress([...Object.keys(PAGES), LESSONS], !sent.inside);
  speak(spokenIn(address, sent.languages));
  page.documentElement.lang = language();
  const stop = await stopOf(sent, address, lecture);
  if (stop.page !== undefined && !address.arrive(stop.page, stop.query)) return;
  const model =
    sent.models.find(({ name }) => name === address.get("checkpoint")) ?? sent.models[0];
  beside(model.model);
  const loupe = createLoupe(page);
  Object.assign(window, { loupe }); // for the browser's console, and for the tests
  letSave(loupe);
  followScheme(page, loupe);
  const frame = drawFrame(page.body, sent, model, address);
  keepOffline(sent);
  if (stop.fault) return tell(frame.main, stop.fault);
  if (address.page === LESSONS) return listLessons(loupe, frame.main, sent, address);
  if (!stop.isElsewhere && !model.pages.includes(address.page))
    return address.open(model.pages[0], {}, true);
  if (stop.isElsewhere) return lecture.giveSlide(frame.main, stop, address);
  if (sent.inside) takeInside(loupe, model, sent);
  const kept = await loupe
    .part(createModels)
    .get(model.model)
    .catch((fault) => tell(frame.main, whyNot(fault)));
  if (!kept) return;
  if (kept.bits)
    frame.footer.prepend(
      element("p", { class: "site-bits" }, say("site.rounded", { bits: kept.bits })),
    );
  beginRun(loupe, model, address, stop.step?.interventions ?? []);
  showField(loupe, model, frame, address);
  const text = sourceField().value;
  const site = { loupe, address, model, kept };
  const show = () => PAGES[address.page](frame.main, site);
  const settle = (changes) => {
    loupe.selection = within(loupe, changes);
  };
  const follow = stop.step ? beginLesson(frame.main, site, stop, { show, settle }) : show();
  if (stop.lecture) lecture.giveSlide(frame.main, stop, address);
  const noted = address.get("edits") ? say("site.unchanged") : "";
  followRuns(loupe, settle, (answer) => {
    frame.note.textContent = noted;
    follow(answer);
  });
  const typed = loupe.part(createTyped);
  typed.unanswered = () => {
    frame.note.textContent = say("site.too_long");
  };
  typed.failed = (fault) => {
    frame.note.textContent =
      fault instanceof ModelFault ? whyNot(fault) : say("site.not_run", { why: fault.message });
  };
  const { signal } = new AbortController(); // for the lifetime of the page
  if (model.model.in_parts) showLoading(loupe, signal, (line) => frame.note.replaceChildren(line));
  typed.type(text, "", () => {});
}

// Make the addresses of a model's files absolute, because the worker would resolve relative ones differently.
function beside(model) {
  const whole = (address) => new URL(address, import.meta.url).href;
  model.address = whole(model.address);
  if (model.tokenizers) model.tokenizers = whole(model.tokenizers);
}

const tell = (main, text) => main.append(element("p", { role: "status" }, text));

const whyNot = (fault) =>
  fault instanceof ModelFault
    ? sayOf("weights", fault.reason, fault.values)
    : say("site.not_loaded");

// Return the step of a lesson or the slide of a lecture that the address names, or why it cannot be loaded.
/** @returns {Promise<any>} */
async function stopOf(sent, address, lecture) {
  try {
    return (await stepOf(sent, address)) ?? lecture?.slideOf(sent, address) ?? {};
  } catch {
    return { fault: say("site.not_loaded") };
  }
}

function spokenIn(address, languages) {
  const wanted = [address.get("lang"), ...navigator.languages.map((each) => each.slice(0, 2))];
  return wanted.find((each) => languages.includes(each)) ?? languages[0];
}

/**
 * @param {import("../../pictures/browser/types").Loupe} loupe
 * @param {WireSiteModel} model
 * @param {any} files
 */
function takeInside(loupe, { model }, { inside, weights }) {
  loupe.part(createModels).put(model.key, readFiles(JSON.parse(inside), weights.buffer));
}

// Make an empty first run, with the names of the model's axes and no numbers.
function beginRun(loupe, model, address, interventions) {
  const { languages, axes } = model.said[language()];
  const number = (name, usual) => {
    const text = address.get(name) ?? "";
    return /^\d{1,4}$/.test(text) ? Number(text) : usual;
  };
  const { kind, layer, head, query } = model.begins;
  loupe.runs.set(
    "",
    /** @type {any} */ ({
      kinds: {},
      tokens: { source: [], target: [] },
      languages,
      axes,
      gold: null,
      heads: new Map(),
      metrics: {},
      roles: model.roles,
      changed: false,
      cases: null,
    }),
  );
  loupe.selection = {
    run: "",
    kind: /** @type {any} */ (
      Object.hasOwn(axes, address.get("kind")) ? address.get("kind") : kind
    ),
    layer: number("layer", layer),
    head: number("head", head),
    query: number("query", query),
    key: number("key", -1), // selects the key with the largest weight
    step: number("step", 0),
  };
  const ran = {
    run: "",
    model: model.model,
    text: null,
    source: [],
    written: [],
    given: false,
    longest: 0,
    interventions,
  };
  loupe.runner = loupe.part(createRunner);
  loupe.part(createTyped).learn(/** @type {any} */ (ran));
}

// Show the sentence's field with its help for typing. A text typed while the model was loading stays.
function showField(loupe, model, { help }, address) {
  put(loupe, help, "typing", field.typing, { text: "", unknown: [], carried: [] });
  loupe.part(createBar).learn(model.words);
  const input = sourceField();
  if (input.value) address.put({ source: input.value });
  else input.value = (address.get("source") ?? model.text).slice(0, LONGEST);
  input.addEventListener("input", () => address.put({ source: input.value }));
  const host = element("span", { hidden: true });
  help.append(host);
  put(loupe, host, "selection", selection.selection, {
    selection: loupe.selection,
    number: 0,
    page: address.page,
  });
  loupe.commit = () => {
    const { kind, layer, head, query, key } = loupe.selection;
    address.put({ kind, layer, head, query, key });
  };
  loupe.go = address.open;
  loupe.link = address.link;
}

function followRuns(loupe, settle, show) {
  const host = element("span", { hidden: true });
  document.body.append(host);
  let latest = null;
  const follow = (_loupe, { listen }) => {
    listen(() => {
      const answer = typedNow(loupe);
      if (!answer || answer === latest) return;
      latest = answer;
      settle({});
      show(answer);
    });
    return () => {};
  };
  put(loupe, host, "follow", follow, {});
}

// Limit a selection to the current sentence, because a link may name cells that it does not have.
function within(loupe, changes) {
  const asked = { ...loupe.selection, ...changes };
  const { layers, heads, rows, columns } = loupe.stack();
  const layer = clamp(asked.layer, layers);
  const head = clamp(asked.head, heads);
  const query = clamp(asked.query, rows);
  const [most] = readingsOf(loupe, { ...asked, layer, head }, query) ?? [];
  const key = asked.key < 0 ? (most?.key ?? 0) : clamp(asked.key, columns);
  return { ...asked, run: TYPED, layer, head, query, key };
}

// Let the site open without a network from the second visit on, if it was loaded from a secure address.
function keepOffline({ inside }) {
  if (inside || !("serviceWorker" in navigator) || !isSecureContext) return;
  navigator.serviceWorker.register(new URL("offline.js", import.meta.url)).catch(() => {});
}
