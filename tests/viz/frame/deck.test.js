// A deck: the valid contents of its file, moving slides, their links, and storage in the browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  changed,
  DeckFault,
  emptyDeck,
  inserted,
  MOST,
  makeSlide,
  moved,
  readDeck,
  writeDeck,
} from "../../../viz/frame/browser/deck.js";
import { createStore } from "../../../viz/frame/browser/deck_store.js";
import { addressOf, linkOfAddress, partsOfLink } from "../../../viz/frame/browser/deck_view.js";

const PAGES = ["start", "attention", "masks"];
const LINK = "attention?source=the+cat";
const SHIPPED = new URL("../../../sample_data/decks/", import.meta.url);

const slide = (given = {}) => ({ title: "One", link: LINK, ...given });
const deck = (...slides) => ({ title: "A deck", slides });
const read = (value) => readDeck(JSON.stringify(value), PAGES);

/** Return the message about a text, or nothing if it is a valid deck. */
function faultOf(text) {
  try {
    readDeck(text, PAGES);
  } catch (error) {
    assert.ok(error instanceof DeckFault, String(error.stack));
    return error.message;
  }
  return "";
}
const fault = (value) => faultOf(JSON.stringify(value));

test("a deck reads back as it was written", () => {
  const whole = slide({
    id: "abc1",
    notes: "say\nthis",
    question: "<b>Which?</b>",
    answers: ["a", "b"],
    hands: [3, null],
    caption: "dark is read",
    panel: "card_head",
    shows: "row “noir”",
  });
  const first = read(deck(whole, slide()));
  assert.deepEqual(first.slides[0], makeSlide(whole));
  assert.deepEqual(readDeck(writeDeck(first), PAGES), first);
  assert.deepEqual(readDeck(writeDeck(emptyDeck()), PAGES), emptyDeck());
});

test("a file can contain pictures, and only SVG is accepted", () => {
  const { title, slides } = read(deck(slide({ id: "a" }), slide({ id: "b" })));
  const drawn = "<svg xmlns='x'/>";
  const text = writeDeck({ title, slides }, ({ id }) => (id === "a" ? drawn : ""));
  const again = readDeck(text, PAGES);
  assert.deepEqual([again.slides[0].picture, again.slides[1].picture], [drawn, undefined]);
  assert.doesNotMatch(writeDeck(again), /picture/);
  for (const picture of ["<html>", "https://example.org/a.png", 7, "x<svg "])
    assert.match(fault(deck(slide({ picture }))), /Slide 1: picture cannot be/);
});

const long = (length) => "x".repeat(length);
const DAMAGED = [
  [" ".repeat(MOST.file + 1), /too long: at most 400,000/],
  ["", /is not valid JSON/],
  ["[".repeat(100_000), /is not valid JSON|not a lecture/],
  ['{"version": 2, "slides": []}', /version 2 of the format; Loupe reads version 1/],
  [
    '{"slides": [], "slide": []}',
    /The lecture has no field “slide”; .*loupe, version, title, slides/,
  ],
  ['{"slides": [], "__proto__": {}}', /The lecture has no field “__proto__”/],
  ['{"title": 7, "slides": []}', /The lecture: title cannot be 7/],
  [`{"title": "${long(121)}", "slides": []}`, /The lecture: title holds at most 120/],
  [deck(...Array(101).fill(slide())), /The lecture: slides holds at most 100/],
  [deck(slide(), 5), /Slide 2 has no link/],
  [deck(slide({ note: "" })), /Slide 1 has no field “note”.*notes/],
  [deck(slide({ title: "a\u0000b" })), /Slide 1: title cannot be "a\\u0000b"/],
  [deck(slide({ title: "a\u202eb" })), /Slide 1: title cannot be "a□b"/],
  [deck({ title: "no link" }), /Slide 1 has no link/],
  [deck(slide({ link: "https://example.org/" })), /Slide 1: the link “https.*leads out of Loupe/],
  [deck(slide({ link: "//example.org" })), /leads out of Loupe/],
  [deck(slide({ link: "javascript:alert(1)" })), /leads out of Loupe/],
  [deck(slide({ link: "../attention" })), /leads out of Loupe/],
  [deck(slide({ link: "attention?a=1#b" })), /leads out of Loupe/],
  [deck(slide({ link: `attention?${long(8000)}` })), /link holds at most 8,000/],
  [deck(slide(), slide({ link: "atention" })), /Slide 2: no page is called “atention”/],
  [deck(slide({ panel: "card head" })), /Slide 1: panel cannot be "card head"/],
  [deck(slide({ answers: "a" })), /Slide 1: answers cannot be "a"/],
  [deck(slide({ answers: Array(7).fill("a") })), /Slide 1: answers holds at most 6/],
  [deck(slide({ hands: [1.5] })), /hands cannot be \[1.5\]/],
  [deck(slide({ hands: [10_000] })), /hands cannot be \[10000\]/],
  [deck(slide({ hands: [1, 2] })), /hands cannot be \[1,2\]/],
  [deck(slide({ id: "A b" })), /Slide 1: id cannot be "A b"/],
];

test("each damaged file gets one message that names the fault and its place", () => {
  for (const [value, said] of DAMAGED)
    assert.match(typeof value === "string" ? faultOf(value) : fault(value), said);
  const messages = DAMAGED.map(([v]) => (typeof v === "string" ? faultOf(v) : fault(v)));
  for (const message of messages) assert.ok(message.length < 400, message);
});

test("a slide of a removed page is kept if the reader accepts any page", () => {
  const text = JSON.stringify(deck(slide({ link: "gone?a=b" })));
  assert.match(faultOf(text), /no page is called “gone”/);
  assert.equal(readDeck(text, null).slides.length, 1);
});

test("slides move within the deck and never beyond its ends", () => {
  const slides = ["a", "b", "c"].map((id) => makeSlide({ id }));
  const order = (list) => list.map(({ id }) => id).join("");
  assert.equal(order(moved(slides, "a", 1)), "bac");
  assert.equal(order(moved(slides, "a", 9)), "bca");
  assert.equal(order(moved(slides, "c", -1)), "cab");
  assert.equal(order(moved(slides, "x", 0)), "abc");
  assert.equal(order(inserted(slides, 1, makeSlide({ id: "d" }))), "adbc");
  assert.deepEqual(
    changed(slides, "b", { title: "new" }).map(({ title }) => title),
    ["", "new", ""],
  );
  assert.equal(order(slides), "abc");
});

test("a link becomes an address of this app, and the address becomes the link again", () => {
  const app = { base: "/loupe", first: "start" };
  assert.equal(addressOf(LINK, app, false), "/loupe/attention?source=the+cat");
  assert.equal(addressOf(LINK, app, true), "/loupe/attention?source=the+cat&presenter=true");
  assert.equal(addressOf("start?source=a", app, false), "/loupe/?source=a&scene=");
  const back = linkOfAddress({ pathname: "/loupe/masks", search: "?a=b&presenter=true" }, app);
  assert.equal(back, "masks?a=b");
  assert.equal(linkOfAddress({ pathname: "/loupe/", search: "" }, app), "start?");
});

test("a link contains its page, model and sentence", () => {
  const app = { pages: [["masks", "Masks"]], models: { paper: "The paper" } };
  const said = partsOfLink("masks?checkpoint=paper&source=a+%3Cb%3E+c&edits=zero!x", app);
  const { page, model, source, isChanged } = said;
  assert.deepEqual([page, model, source, isChanged], ["Masks", "The paper", "a <b> c", true]);
  assert.equal(partsOfLink("gone", app).page, "gone");
});

function fakeStorage(fails = false) {
  const kept = new Map();
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem(key, value) {
      if (fails) throw new Error("full");
      kept.set(key, value);
    },
  };
}

test("two tabs can change one deck without undoing each other's changes", () => {
  const storage = fakeStorage();
  const [one, other] = [createStore(() => storage), createStore(() => storage)];
  const add = (store, id) =>
    store.change((now) => ({ ...now, slides: [...now.slides, makeSlide({ id, link: LINK })] }));
  add(one, "a");
  add(other, "b");
  one.change((now) => ({ ...now, slides: changed(now.slides, "b", { notes: "from one" }) }));
  other.change((now) => ({ ...now, slides: moved(now.slides, "b", 0) }));
  const seen = one.read().slides.map(({ id, notes }) => [id, notes]);
  assert.deepEqual(seen, [
    ["b", "from one"],
    ["a", ""],
  ]);
});

test("stored data that is not a deck is set aside, not deleted", () => {
  const storage = fakeStorage();
  storage.setItem("loupe.deck", "from a later version");
  const store = createStore(() => storage);
  assert.deepEqual(store.read(), emptyDeck());
  store.change((now) => ({ ...now, title: "new" }));
  assert.equal(storage.getItem("loupe.deck.unread"), "from a later version");
  assert.equal(store.read().title, "new");
});

test("if the browser cannot store the deck, it lasts as long as the tab", () => {
  for (const storage of [() => fakeStorage(true), () => assert.fail("refused")]) {
    const store = createStore(storage);
    assert.ok(store.isKept());
    store.change((now) => ({ ...now, title: "mine" }));
    assert.equal(store.read().title, "mine");
    assert.ok(!store.isKept());
  }
});

test("the decks included with Loupe are valid and are written back unchanged", () => {
  const text = readFileSync(new URL("en/inside_a_transformer.json", SHIPPED), "utf8");
  const found = readDeck(text, null);
  assert.ok(found.slides.length >= 14 && found.slides.length <= 18);
  assert.deepEqual(readDeck(writeDeck(found), null), found);
});
