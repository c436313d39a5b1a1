// Messages of pictures on the way from one page to another, without a browser.

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

test("a picture reports to Python at once if no page is on its way", () => {
  departure.leave("map"); // a link to the current page changes nothing
  departure.guard(picture(), hear("dial"))("turn", 3);
  assert.deepEqual(told, [["dial", "turn", 3]]);
});

test("a report on the way to a page waits, and only the latest value is sent", () => {
  const send = departure.guard(picture(), hear("dial"));
  departure.leave("attention");
  send("turn", 3);
  send("turn", 4);
  assert.deepEqual(told, []);
  assert.equal(departure.arrive("attention", true), true);
  assert.deepEqual(told, [["dial", "turn", 4]]);
});

test("a picture that the new page also contains reports through the new page", () => {
  const dial = picture();
  const send = departure.guard(dial, hear("old"));
  departure.leave("attention");
  send("turn", 3);
  departure.guard(dial, hear("new"));
  departure.arrive("attention", true);
  assert.deepEqual(told, [["new", "turn", 3]]);
});

test("a picture of the page that was left reports nothing", () => {
  const gone = picture();
  const send = departure.guard(gone, hear("gone"));
  departure.leave("attention");
  send("commit", 1);
  gone.host.isConnected = false;
  departure.arrive("attention", true);
  assert.deepEqual(told, []);
});

test("a page other than the expected one releases nothing", () => {
  const send = departure.guard(picture(), hear("dial"));
  departure.leave("attention");
  send("turn", 3);
  assert.equal(departure.arrive("map", true), false);
  assert.deepEqual(told, []);
});

test("reports are sent after a while even if the page has no selection or never arrives", () => {
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

test("after several requests on the way, only the last page is opened, once the first has arrived", () => {
  departure.go("attention", () => told.push("attention"));
  departure.go("touch", () => told.push("touch"));
  departure.go("masks", () => told.push("masks"));
  assert.deepEqual(told, ["attention"]);
  departure.arrive("attention", true);
  assert.deepEqual(told, ["attention", "masks"]);
  departure.guard(picture(), hear("dial"))("turn", 3); // on the way to masks
  assert.equal(told.length, 2);
});
