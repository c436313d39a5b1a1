"""The pictures that come with the ready lectures, for a site that lacks the view of a slide.

`python -m qa.slide_pictures` draws them.
"""

import html
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from texts import LANGUAGES, Language
from viz.subjects.lecture.shipped_decks import FOLDER, shipped_decks

SCHEMES = ("light", "dark")
"""Colour schemes of the pages, and so of the pictures."""
PICTURES = FOLDER / "pictures"
_TEXTS = ("title", "caption", "question")


def picture_file(slide: str, spoken: str, scheme: str) -> str:
    """Name the file with the picture of a slide of a ready lecture."""
    return f"{slide}.{spoken}.{scheme}.svg"


def with_view(svg: str, slide: Mapping[str, str]) -> str:
    """Write into a picture which view it shows."""
    return svg.replace("<rect", f"{_view_of(slide)}<rect", 1)


def ready_picture(slide: Mapping[str, str], spoken: Language) -> dict[str, str] | None:
    """Read the pictures of a slide by their scheme; None of a slide that has none of its view."""
    name = slide.get("id", "")
    if not (name.isascii() and name.isalnum()):
        return None
    files = {scheme: PICTURES / picture_file(name, spoken, scheme) for scheme in SCHEMES}
    if not all(file.is_file() for file in files.values()):
        return None
    found = {scheme: file.read_text("utf-8") for scheme, file in files.items()}
    return found if all(_view_of(slide) in svg for svg in found.values()) else None


def language_of(slides: Sequence[Mapping[str, Any]]) -> Language:
    """Return the language whose ready lectures share the most texts with some slides."""
    said = _texts_of(slides)
    return max(LANGUAGES, key=lambda spoken: len(said & _ready_texts(spoken)))


@cache
def _ready_texts(spoken: Language) -> frozenset[str]:
    decks = [json.loads(deck["text"]) for deck in shipped_decks(spoken)]
    return frozenset().union(*(_texts_of(deck["slides"]) for deck in decks))


def _texts_of(slides: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    return frozenset(slide[name] for slide in slides for name in _TEXTS if slide.get(name))


def _view_of(slide: Mapping[str, str]) -> str:
    shown = html.escape(f"{slide['link']}#{slide.get('panel', '')}", quote=False)
    return f"<metadata>{shown}</metadata>"
