// Presenting a deck: the clicker, the address in the code, and the link that contains a deck.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DeckFault, MOST, makeSlide } from "../../../viz/frame/browser/deck.js";
import {
  faultOfAddress,
  isThisMachine,
  originForOthers,
} from "../../../viz/frame/browser/deck_code.js";
import { isCovered, spokenAs, turned } from "../../../viz/frame/browser/deck_giving.js";
import {
  holdsDeck,
  LONGEST_LINK,
  packDeck,
  unpackDeck,
} from "../../../viz/frame/browser/deck_link.js";

const PAGES = ["attention"];
const SLIDES = [
  makeSlide({ id: "a", link: "attention" }),
  makeSlide({ id: "b", link: "attention", question: "Which?" }),
  makeSlide({ id: "c", link: "attention" }),
];

test("one press uncovers the picture of a question, and the next press opens the next slide", () => {
  let place = { at: 0, seen: [] };
  const seen = [];
  for (let presses = 0; presses < 5; presses++) {
    place = turned(SLIDES, place, 1);
    seen.push([place.at, isCovered(SLIDES[place.at], place.seen)]);
  }
  assert.deepEqual(seen, [
    [1, true],
    [1, false],
    [2, false],
    [2, false],
    [2, false],
  ]);
});

test("going back takes one press, and an uncovered picture stays uncovered", () => {
  const covered = { at: 1, seen: [] };
  assert.equal(turned(SLIDES, covered, -1).at, 0);
  const back = turned(SLIDES, { at: 2, seen: ["b"] }, -1);
  assert.deepEqual([back.at, isCovered(SLIDES[1], back.seen)], [1, false]);
  assert.equal(turned(SLIDES, { at: 0, seen: [] }, -1).at, 0);
});

test("a lecture continues in the language in which it began", () => {
  assert.equal(spokenAs("masks?source=a", "?lang=fr&x=1"), "masks?source=a&lang=fr");
  assert.equal(spokenAs("lecture", "?lang=fr"), "lecture?lang=fr");
  assert.equal(spokenAs("masks?lang=en", "?lang=fr"), "masks?lang=en");
  assert.equal(spokenAs("masks?a=b", "?x=1"), "masks?a=b");
});

test("the clock keeps running from slide to slide", () => {
  const place = { at: 0, seen: [], began: 5 };
  for (const by of [1, 1, 1, -1]) assert.equal(turned(SLIDES, place, by).began, 5);
  assert.equal(turned(SLIDES, { ...place, at: 1 }, 1).began, 5, "uncovered");
});

const here = (origin) => new URL(origin);

test("a host name that means the machine itself is recognised", () => {
  for (const name of ["localhost", "127.0.0.1", "127.3.2.1", "[::1]", "0.0.0.0"])
    assert.ok(isThisMachine(name), name);
  for (const name of ["192.168.1.20", "loupe.example.org", "128.0.0.1", "localhost.example.org"])
    assert.ok(!isThisMachine(name), name);
});

test("others reach the server by the name in the address, or by its IP address", () => {
  const all = { local: false, number: "192.168.1.20" };
  const alone = { local: true, number: null };
  assert.equal(originForOthers(here("http://pc.lan:8501"), alone), "http://pc.lan:8501");
  assert.equal(originForOthers(here("http://localhost:8501"), all), "http://192.168.1.20:8501");
  assert.equal(originForOthers(here("http://localhost"), all), "http://192.168.1.20");
  assert.equal(originForOthers(here("http://localhost:8501"), alone), "");
  assert.equal(originForOthers(here("http://localhost:1"), { local: false, number: null }), "");
});

test("an address that nobody else can open is reported", () => {
  assert.equal(faultOfAddress("http://192.168.1.20:8501", true), "");
  assert.equal(faultOfAddress("http://127.0.0.1:8501", true), "local");
  assert.equal(faultOfAddress("http://127.0.0.1:8501", false), "localName");
  for (const wrong of ["", "ftp://a", "javascript:1", "http://", `http://${"a".repeat(300)}`])
    assert.equal(faultOfAddress(wrong, true), "wrong", wrong);
});

test("a deck comes out of its compressed link unchanged", async () => {
  const notes = "Read the sentence aloud. ".repeat(40);
  const deck = { title: "Été", slides: SLIDES.map((slide) => ({ ...slide, notes })) };
  const link = await packDeck(deck);
  assert.ok(holdsDeck(link) && link.length < 600);
  assert.match(link, /^#deck=[\w-]+$/);
  assert.deepEqual(await unpackDeck(link, PAGES), deck);
});

test("a link that was cut off, or that unpacks to too many bytes, is refused", async () => {
  const link = await packDeck({ title: "x", slides: SLIDES });
  const wrong = [
    link.slice(0, -20),
    "#deck=",
    "#deck=%%%",
    `#deck=${"a".repeat(LONGEST_LINK + 1)}`,
    `#deck=${await deflated(" ".repeat(MOST.file * 20))}`,
    `#deck=${await deflated("[]")}`,
  ];
  for (const one of wrong) await assert.rejects(unpackDeck(one, PAGES), DeckFault);
});

async function deflated(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return Buffer.from(await new Response(stream).arrayBuffer()).toString("base64url");
}
