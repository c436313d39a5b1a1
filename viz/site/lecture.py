"""A lecture for a site: the file of the app without its notes, and which slides need the app."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from model.files.durable import read_file
from model.files.json_fields import shorten
from texts import say, say_of
from texts.saying import all_texts
from viz.frame.link_inputs import inputs_of_link
from viz.run import session
from viz.run.selection import FIELDS, nearest
from viz.site.wire import WireGiven

_MOST_BYTES = 1_600_000
"""Of a file: four for each of the characters that the browser reads."""
_LONGEST = 300
"""Characters of a sentence, as in `browser/frame.js`."""
_PLAIN = frozenset({"checkpoint", "source", "scene", *FIELDS})
"""What a link to a page of the site may say."""
_PANELS = frozenset(
    {"", "start_page", "touch_hand", "card_head", "card_heads", "card_cell"}
    | {"card_decoding_player"}
)
"""Parts of a page that the site has, too."""


class LectureError(ValueError):
    """A file that holds no lecture."""


def read_lecture(path: Path, names: Sequence[str], pages: Sequence[str]) -> WireGiven:
    """Read a lecture that the app has saved.

    What is read here is checked here; the browser reads the whole as the app does, and says what is
    wrong. Raises LectureError.
    """
    deck = _parse(path)
    elsewhere: list[int] = []
    for at, slide in enumerate(deck["slides"]):
        slide.pop("notes", None)  # for whoever gives it
        if link := _link_here(slide, names, pages):
            slide["link"] = link
        else:
            elsewhere.append(at)
    return {"text": json.dumps(deck, ensure_ascii=False), "elsewhere": elsewhere}


def titles_elsewhere(lecture: WireGiven) -> list[str]:
    """Return the numbers and titles of the slides that the site cannot show."""
    slides = json.loads(lecture["text"])["slides"]
    return [f"{at + 1}. {shorten(slides[at].get('title', ''))}" for at in lecture["elsewhere"]]


def _parse(path: Path) -> dict[str, Any]:
    try:
        deck = json.loads(read_file(path, most=_MOST_BYTES))
    except OSError:
        raise _fault("no_file", file=shorten(str(path))) from None
    except (ValueError, RecursionError) as error:
        raise _fault("not_json", why=str(error)) from None
    slides = deck.get("slides") if isinstance(deck, dict) else None
    if not isinstance(slides, list) or not slides:
        raise _fault("not_deck")
    known = [key.removeprefix("page.") for key in all_texts("en") if key.startswith("page.")]
    for place, slide in enumerate(slides, 1):
        where = say("deck.slide", place=place)
        link = slide.get("link") if isinstance(slide, dict) else None
        if not isinstance(link, str) or not link:
            raise _fault("no_link", where=where)
        page = link.partition("?")[0]
        if page not in known:
            raise _fault("page", where=where, page=shorten(page), pages=", ".join(known))
    return deck


def _fault(name: str, **values: str) -> LectureError:
    return LectureError(say_of("deck.fault", name, **values))


def _link_here(slide: dict[str, Any], names: Sequence[str], pages: Sequence[str]) -> str | None:
    """Write a slide's link with the cell that the app would find; None where the site cannot."""
    page, _, text = slide["link"].partition("?")
    query = dict(parse_qsl(text))
    is_here = page.removeprefix("start") in pages and str(slide.get("panel", "")) in _PANELS
    inputs = inputs_of_link(slide["link"], names) if is_here and query.keys() <= _PLAIN else None
    if inputs is None or len(inputs.source) > _LONGEST:
        return None
    asked = {name: query[name] for name in FIELDS if name in query}
    found, _ = nearest(session.open_view(inputs).run, asked)
    whole = {"checkpoint": inputs.checkpoint, "source": inputs.source, **query, **found.to_dict()}
    return f"{page}?{urlencode(whole)}"
