// Reads lecture files for a test in Python as the app does, and prints the lectures or the messages.

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
