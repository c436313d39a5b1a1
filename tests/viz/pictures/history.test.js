// Which changes of the address become entries of the history.

import assert from "node:assert/strict";
import { test } from "node:test";
import { keepPlaces } from "../../../viz/pictures/browser/history.js";

const BASE = "http://127.0.0.1:8501";

function openAt(path) {
  const done = [];
  const page = new EventTarget();
  const go = (how) => (_state, _title, url) => {
    done.push(how);
    page.location = new URL(url, page.location);
  };
  page.location = new URL(path, BASE);
  page.history = { pushState: go("push"), replaceState: go("replace") };
  keepPlaces(page);
  const { history } = page;
  const set = (how, url) => history[how]({}, "", url);
  return {
    page,
    done,
    push: (url) => set("pushState", url),
    replace: (url) => set("replaceState", url),
  };
}

test("a new text, checkpoint or page is an entry, however Streamlit sets the address", () => {
  const { page, done, push, replace } = openAt("/?source=a&query=1");
  const acts = [
    () => replace("/?source=b&query=1"),
    () => push("/?source=b&target=c&query=1"),
    () => replace("/?source=b&target=c&checkpoint=d"),
    () => push("/masks?source=b&target=c&checkpoint=d"),
    () => replace("/masks?source=b&checkpoint=d"),
  ];
  for (const act of acts) {
    page.dispatchEvent(new Event("pointerdown"));
    act();
  }
  assert.deepEqual(done, Array(5).fill("push"));
});

test("all changes that follow from one action are one entry", () => {
  const { page, done, push, replace } = openAt("/?source=a&scene=answer&guess=1");
  page.dispatchEvent(new Event("keydown"));
  replace("/?source=b&scene=answer&guess=1");
  push("/?source=b&scene=answer");
  push("/?source=b&scene=guess");
  page.dispatchEvent(new Event("keydown"));
  push("/?source=b&scene=query");
  assert.deepEqual(done, ["push", "replace", "replace", "push"]);
});

test("an unchanged address is not set again", () => {
  const { done, push, replace } = openAt("/masks?source=a+b&query=1");
  push("/masks?source=a+b&query=1");
  replace("?source=a+b&query=1");
  assert.deepEqual(done, []);
});

test("a cell, a switch or another order of the parameters makes no entry", () => {
  const { done, push, replace } = openAt("/?source=a&query=1");
  push("/?source=a&query=2");
  push("/?query=2&source=a&kind=cross-attention");
  replace("/?source=a&presenter=true");
  assert.deepEqual(done, Array(3).fill("replace"));
});

test("a change after going back replaces the entry that was returned to", () => {
  const { page, done, push, replace } = openAt("/?checkpoint=gone");
  page.dispatchEvent(new Event("popstate"));
  push("/");
  replace("/?source=a");
  page.dispatchEvent(new Event("keydown"));
  replace("/?source=b");
  assert.deepEqual(done, ["replace", "replace", "push"]);
});

test("a stage of the start page is an entry, and the first stage needs no name", () => {
  const set = (from, to) => {
    const { done, replace } = openAt(from);
    replace(to);
    return done[0];
  };
  assert.equal(set("/", "/?scene=guess"), "replace");
  assert.equal(set("/", "/?scene=query"), "push");
  assert.equal(set("/?scene=query", "/?scene=query&guess=1"), "replace");
  assert.equal(set("/?scene=query&guess=1", "/?scene=scores&guess=1"), "push");
});
