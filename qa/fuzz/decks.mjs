// Reads decks for the fuzzing, as the browser does: a line of JSON in, {kind, said} out; `kind` is "accepted", "refused" or "raised".

import { createInterface } from "node:readline";
import { readFileSync } from "node:fs";
import { DeckFault, readDeck, writeDeck } from "../../viz/frame/browser/deck.js";
import { packDeck, unpackDeck } from "../../viz/frame/browser/deck_link.js";
import { addressOf, partsOfLink } from "../../viz/frame/browser/deck_view.js";
import { learn } from "../../viz/pictures/browser/say.js";

const texts = (language) => {
  const areas = JSON.parse(readFileSync(new URL(`../../texts/${language}.json`, import.meta.url)));
  return Object.entries(areas).flatMap(([area, of]) =>
    Object.entries(of).map(([name, text]) => [`${area}.${name}`, text]),
  );
};
learn({ en: Object.fromEntries(texts("en")) });

const APP = { base: "", first: "start", pages: [["attention", "Attention"]], models: {} };

async function read({ pages, text, link }) {
  const deck = link === undefined ? readDeck(text, pages) : await unpackDeck(link, pages);
  const again = readDeck(writeDeck(deck), pages);
  if (JSON.stringify(again) !== JSON.stringify(deck)) throw new Error("it is read as another");
  const packed = await packDeck(deck);
  if (packed.length <= 16_000) await unpackDeck(packed, pages);
  for (const slide of deck.slides) {
    partsOfLink(slide.link, APP);
    const address = new URL(addressOf(slide.link, APP, true), "http://127.0.0.1:1/");
    if (address.host !== "127.0.0.1:1") throw new Error(`it leads to ${address}`);
  }
  return "";
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = { kind: "accepted", said: await read(JSON.parse(line)) };
  } catch (error) {
    const kind = error instanceof DeckFault ? "refused" : "raised";
    answer = { kind, said: String(kind === "raised" ? error.stack : error.message).toWellFormed() }; // as a page does
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
