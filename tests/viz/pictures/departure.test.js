// Between two pages, without a browser.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { createDeparture } from "../../../viz/pictures/browser/departure.js";

let departure;
let told;
const picture = (isConnected = true) => ({ host: { isConnected } });
const hear = (name) => (event, value) => told.push([name, event, value]);

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  told = [];
  departure = createDeparture(null);
  departure.arrive("map", true);
});

test("a picture tells Python at once while no page is awaited", () => {
  departure.leave("map"); // a link to the page in view leads nowhere
  departure.guard(picture(), hear("dial"))("turn", 3);
  assert.deepEqual(told, [["dial", "turn", 3]]);
});

test("what a picture tells on the way to a page waits, and only the latest value counts", () => {
  const send = departure.guard(picture(), hear("dial"));
  departure.leave("attention");
  send("turn", 3);
  send("turn", 4);
  assert.deepEqual(told, []);
  assert.equal(departure.arrive("attention", true), true);
  assert.deepEqual(told, [["dial", "turn", 4]]);
});

test("a picture that the new page has again tells in the new page's name", () => {
  const dial = picture();
  const send = departure.guard(dial, hear("old"));
  departure.leave("attention");
  send("turn", 3);
  departure.guard(dial, hear("new"));
  departure.arrive("attention", true);
  assert.deepEqual(told, [["new", "turn", 3]]);
});

test("a picture of the page that was left tells nothing", () => {
  const gone = picture();
  const send = departure.guard(gone, hear("gone"));
  departure.leave("attention");
  send("commit", 1);
  gone.host.isConnected = false;
  departure.arrive("attention", true);
  assert.deepEqual(told, []);
});

test("another page than the one awaited releases nothing", () => {
  const send = departure.guard(picture(), hear("dial"));
  departure.leave("attention");
  send("turn", 3);
  assert.equal(departure.arrive("map", true), false);
  assert.deepEqual(told, []);
});

test("a page without a selection is here after a while, and one that never comes is given up", () => {
  for (const arrive of [() => departure.arrive("lecture", false), () => {}]) {
    told = [];
    const send = departure.guard(picture(), hear("dial"));
    departure.leave("lecture");
    send("turn", 3);
    arrive();
    assert.deepEqual(told, []);
    mock.timers.tick(5000);
    assert.deepEqual(told, [["dial", "turn", 3]]);
    departure.arrive("map", true);
  }
});

test("a second page that is asked for on the way is asked for once the first is here", () => {
  departure.go("attention", () => told.push("attention"));
  departure.go("touch", () => told.push("touch"));
  departure.go("masks", () => told.push("masks"));
  assert.deepEqual(told, ["attention"]);
  departure.arrive("attention", true);
  assert.deepEqual(told, ["attention", "masks"]);
  departure.guard(picture(), hear("dial"))("turn", 3); // on the way to masks
  assert.equal(told.length, 2);
});
