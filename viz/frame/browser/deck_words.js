// What is said of a deck of slides, where it has cases: of what is wrong in a file, and of what was counted.

import { say } from "../../pictures/browser/say.js";

/** What a file of a deck can be refused for. */
export const FAULTS = {
  tooLong: (count, most) => say("deck.fault.too_long", { count, most }),
  notJson: (why) => say("deck.fault.not_json", { why }),
  notDeck: () => say("deck.fault.not_deck"),
  version: (found) => say("deck.fault.version", { found }),
  unknown: (where, name, known) =>
    say("deck.fault.unknown", { where, name, known: known.join(", ") }),
  noSlides: () => say("deck.fault.no_slides"),
  tooMany: (count, most) => say("deck.fault.too_many", { count, most }),
  noSlide: (where) => say("deck.fault.no_slide", { where }),
  noText: (where, name) => say("deck.fault.no_text", { where, name }),
  long: (where, name, count, most) => say("deck.fault.long", { where, name, count, most }),
  control: (where, name) => say("deck.fault.control", { where, name }),
  noLink: (where) => say("deck.fault.no_link", { where }),
  link: (where, link) => say("deck.fault.link", { where, link }),
  page: (where, page, pages) => say("deck.fault.page", { where, page, pages: pages.join(", ") }),
  panel: (where) => say("deck.fault.panel", { where }),
  noList: (where, name) => say("deck.fault.no_list", { where, name }),
  tooManyOf: (where, name, found, most) =>
    say("deck.fault.too_many_of", { where, name, found, most }),
  hands: (where, most) => say("deck.fault.hands", { where, most }),
  moreHands: (where) => say("deck.fault.more_hands", { where }),
  idless: (where) => say("deck.fault.idless", { where }),
  linkBroken: () => say("deck.fault.link_broken"),
};

/** The counts of hands in one line; "" where none was counted.
 * @param {string[]} answers @param {(number | null)[]} hands
 */
export const handsSaid = (answers, hands) =>
  answers.flatMap((answer, i) => (hands[i] ? [`${answer} ${hands[i]}`] : [])).join("  ·  ");

/** How the app is started so that others can open it. */
export const START = "python3 start.py --server.address 0.0.0.0";
