"""The places of the navigation and their views: a name here and a folder of that name."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from types import ModuleType

from texts import say_in, say_of
from viz.frame.plugged_pages import plugged_pages

_NAMES = {
    "start": ("start",),
    "learn": ("lessons", "induction"),
    "look": ("attention", "map"),
    "change": ("touch", "masks", "variants"),
    "write": ("decoding", "positions", "embeddings"),
    "measure": ("mattered", "corpus", "compare", "training"),
}
SUBJECTS = (*chain.from_iterable(_NAMES.values()), "lecture")
"""The pages in their order; the last one has its own button."""
_PLUGGED = plugged_pages(_NAMES)
PAGES = (*(import_module(f".subjects.{name}.page", __package__) for name in SUBJECTS), *_PLUGGED)
"""The modules of the pages, each with URL and render(view); those of plug-ins come last."""
PLACES: Mapping[str, tuple[ModuleType, ...]] = {
    place: (
        *(PAGES[SUBJECTS.index(name)] for name in names),
        *(page for page in _PLUGGED if place == page.PLACE),
    )
    for place, names in _NAMES.items()
}
"""The views of each place."""
AS_PYTHON = {
    name: import_module(f".subjects.{name}.as_python", __package__).cards
    for name in SUBJECTS
    if find_spec(f".subjects.{name}.as_python", __package__)
} | {page.URL: page.cards for page in _PLUGGED if hasattr(page, "cards")}
"""By the URL of a page, a function that returns its cards as lines of Python."""
FIRST = PAGES[0]
FOREIGN_FIRST = PAGES[SUBJECTS.index("attention")]
"""The first page for a model that Start cannot show."""
LESSONS = PAGES[SUBJECTS.index("lessons")]
"""The only page of which an open question covers nothing."""


def title(module: ModuleType) -> str:
    """Return the title of a page."""
    return say_in(module.TITLE) if module in _PLUGGED else say_of("page", module.URL)
