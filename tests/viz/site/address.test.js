// The address of a page of the site: the parameters that a link to another page keeps or drops.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createAddress } from "../../../viz/site/browser/address.js";

const PAGES = ["", "attention", "touch"];

function at(pathname, search, hash = "") {
  globalThis.location = /** @type {any} */ ({ pathname, search, hash });
  globalThis.window = /** @type {any} */ ({ addEventListener() {} });
  return createAddress(PAGES, !hash);
}

test("a link to another page drops the lesson, its step and the slide", () => {
  const here = at("/site/attention/", "?lang=fr&lesson=it&part=2&slide=3&source=the+cat");
  assert.equal(here.link("touch"), "../touch/?lang=fr&source=the+cat");
  assert.equal(here.link(""), "../?lang=fr&source=the+cat");
});

test("a link to the same page keeps them, and so does a link to the next step of a lesson", () => {
  const here = at("/site/attention/", "?lesson=it&part=2");
  assert.equal(here.link("attention", { part: 3 }), "../attention/?lesson=it&part=3");
  assert.equal(here.link("touch", { lesson: "it", part: 3 }), "../touch/?lesson=it&part=3");
});

test("a site in one file has its pages after the number sign", () => {
  const here = at("/loupe.html", "", "#attention?lesson=it&part=2&head=1");
  assert.deepEqual([here.page, here.get("part")], ["attention", "2"]);
  assert.equal(here.link("touch"), "/loupe.html#touch?head=1");
});
