// What the app says of the files of lectures that a test in Python asks about.

import { DeckFault, MOST, readDeck } from "../../../viz/frame/browser/deck.js";
import { asked, tell } from "../../browser/asked.mjs";
import "../../browser/texts.mjs";

const said = asked.texts.map((text) => {
  try {
    const { title, slides } = readDeck(text, asked.pages, MOST.saved);
    return { title, slides: asked.whole ? slides : slides.length };
  } catch (error) {
    if (error instanceof DeckFault) return error.message;
    throw error;
  }
});
tell({ said, most: MOST });
