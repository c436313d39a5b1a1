"""A lecture for a site: the app's file without notes, and pictures of views that it lacks."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from model.files.json_fields import shorten
from texts import LANGUAGES, Language
from viz.address.selection import FIELDS, nearest
from viz.frame.link_inputs import inputs_of_link
from viz.models import running
from viz.site.deck_file import read_deck
from viz.site.wire import WireGiven, WirePicture
from viz.subjects.lecture.shipped_decks import SCHEMES, ready_picture, shipped_decks
from viz.subjects.masks.lab import HIDES
from viz.subjects.positions.reruns import WHERE

_LONGEST = 300
"""Most characters of a sentence, as in `browser/frame.js`."""
_PLAIN = frozenset({"checkpoint", "source", "scene", *FIELDS})
"""Parameters that a link to a page of the site may have."""
_MORE = {
    "masks": dict.fromkeys(HIDES, ("true", "false")),
    "positions": {"positions_change": ("zeroed",), "positions_where": WHERE},
}
"""Further parameters for links to single pages, with the values that these pages can show."""
_PANELS = frozenset(
    {"", "start_page", "touch_hand", "card_head", "card_heads", "card_cell", "card_map"}
    | {"card_decoding_player", "card_masks", "card_positions_map", "card_positions_reruns"}
    | {"card_embeddings_nearest"}
)
"""Parts of pages that the site has, too."""
_TEXTS = ("title", "caption", "question")


def read_lecture(path: Path, names: Sequence[str], pages: Sequence[str]) -> WireGiven:
    """Read a lecture that the app has saved. Raises DeckError, with the same message as the app."""
    deck = read_deck(path)
    spoken = _language_of(deck["slides"])
    elsewhere: list[int] = []
    pictures: dict[str, WirePicture | None] = {}
    for at, slide in enumerate(deck["slides"]):
        slide.pop("notes", None)  # meant for the presenter
        own = slide.pop("picture", None)
        if link := _link_here(slide, names, pages):
            slide["link"] = link
            continue
        elsewhere.append(at)
        if found := ready_picture(slide, spoken) or (own and dict.fromkeys(SCHEMES, own)):
            pictures[str(at)] = {"light": found["light"], "dark": found["dark"]}
    text = json.dumps(deck, ensure_ascii=False)
    return {"text": text, "elsewhere": elsewhere, "pictures": pictures}


def titles_elsewhere(lecture: WireGiven) -> list[tuple[str, bool]]:
    """Return the numbered title of each slide that needs the app, and whether it has a picture."""
    slides = json.loads(lecture["text"])["slides"]
    return [
        (f"{at + 1}. {shorten(slides[at].get('title', ''))}", str(at) in lecture["pictures"])
        for at in lecture["elsewhere"]
    ]


def _link_here(slide: dict[str, Any], names: Sequence[str], pages: Sequence[str]) -> str | None:
    """Write a slide's link with the cell that the app selects; None if the site cannot show it."""
    page, _, text = slide["link"].partition("?")
    query = dict(parse_qsl(text))
    is_here = page.removeprefix("start") in pages and str(slide.get("panel", "")) in _PANELS
    more = _MORE.get(page, {})
    is_plain = all(name in _PLAIN or said in more.get(name, ()) for name, said in query.items())
    inputs = inputs_of_link(slide["link"], names) if is_here and is_plain else None
    if inputs is None or len(inputs.source) > _LONGEST:
        return None
    asked = {name: query[name] for name in FIELDS if name in query}
    found, _ = nearest(running.open_view(inputs).run, asked)
    is_found_there = page == "masks" and not asked  # the page selects it itself
    cell = {} if is_found_there else found.to_dict()
    whole = {"checkpoint": inputs.checkpoint, "source": inputs.source, **query, **cell}
    return f"{page}?{urlencode(whole)}"


def _language_of(slides: Sequence[Mapping[str, Any]]) -> Language:
    """Return the language in whose ready lectures most texts of these slides occur."""
    said = _texts_of(slides)
    return max(LANGUAGES, key=lambda spoken: len(said & _ready_texts(spoken)))


@cache
def _ready_texts(spoken: Language) -> frozenset[str]:
    decks = [json.loads(deck["text"]) for deck in shipped_decks(spoken)]
    return frozenset().union(*(_texts_of(deck["slides"]) for deck in decks))


def _texts_of(slides: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    return frozenset(slide[name] for slide in slides for name in _TEXTS if slide.get(name))
