"""The decks that come with the app: files in sample_data/decks, a folder for each language.

Their pictures of the slides are there too, drawn by `python -m qa.slide_pictures`.
"""

import html
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from texts import Language
from viz.pictures.browser_modules import hash_of
from viz.subjects.lecture.wire import WirePicture, WireShipped

FOLDER = Path(__file__).parents[3] / "sample_data" / "decks"
PICTURES = FOLDER / "pictures"
SCHEMES = ("light", "dark")
"""The colour schemes of the pages, and so of the pictures."""


@cache
def shipped_decks(language: Language) -> list[WireShipped]:
    """Read the decks of a language, by the names of their files."""
    paths = sorted((FOLDER / language).glob("*.json"))
    return [_read(path.read_text(encoding="utf-8"), language) for path in paths]


def _read(text: str, spoken: Language) -> WireShipped:
    deck = json.loads(text)
    slides = deck["slides"]
    pictures: dict[str, WirePicture] = {}
    for slide in slides:
        if ready_picture(slide, spoken):
            light, dark = (_address(picture_file(slide["id"], spoken, one)) for one in SCHEMES)
            pictures[_view_of(slide)] = {"light": light, "dark": dark}
    return {"title": deck["title"], "slides": len(slides), "text": text, "pictures": pictures}


def picture_file(slide: str, spoken: str, scheme: str) -> str:
    """Name the file with the picture of a slide of a ready lecture."""
    return f"{slide}.{spoken}.{scheme}.svg"


def with_view(svg: str, slide: Mapping[str, str]) -> str:
    """Write the view that a picture shows into its metadata."""
    return svg.replace("<rect", f"{_said_view(slide)}<rect", 1)


def ready_picture(slide: Mapping[str, str], spoken: Language) -> dict[str, str] | None:
    """Read the pictures of a slide by colour scheme; None if it has none of its view."""
    name = slide.get("id", "")
    if not (name.isascii() and name.isalnum()):
        return None
    files = {scheme: PICTURES / picture_file(name, spoken, scheme) for scheme in SCHEMES}
    if not all(file.is_file() for file in files.values()):
        return None
    found = {scheme: file.read_text("utf-8") for scheme, file in files.items()}
    return found if all(_said_view(slide) in svg for svg in found.values()) else None


def picture_files() -> dict[str, Path]:
    """Return the file of each picture by its path on the server, below the server's base."""
    return {_address(file.name): file for file in PICTURES.glob("*.svg")}


def _address(name: str) -> str:
    return f"slides/{_hash()}/{name}"


@cache
def _hash() -> str:
    return hash_of({file.name: file.read_bytes() for file in PICTURES.glob("*.svg")})


def _said_view(slide: Mapping[str, str]) -> str:
    return f"<metadata>{html.escape(_view_of(slide), quote=False)}</metadata>"


def _view_of(slide: Mapping[str, str]) -> str:
    return f"{slide['link']}#{slide.get('panel', '')}"
