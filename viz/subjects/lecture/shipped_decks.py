"""The decks that come with the app: files in sample_data/decks, in a folder a language."""

import json
from functools import cache
from pathlib import Path

from texts import Language
from viz.subjects.lecture.wire import WireShipped

FOLDER = Path(__file__).parents[3] / "sample_data" / "decks"


@cache
def shipped_decks(language: Language) -> list[WireShipped]:
    """Read the decks of a language, by the names of their files."""
    paths = sorted((FOLDER / language).glob("*.json"))
    return [_read(path.read_text(encoding="utf-8")) for path in paths]


def _read(text: str) -> WireShipped:
    deck = json.loads(text)
    return {"title": deck["title"], "slides": len(deck["slides"]), "text": text}
