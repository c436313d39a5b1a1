"""The places of the navigation and their views: a word here and a folder there are a page."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from types import ModuleType

from texts import say_of

_NAMES = {
    "start": ("start",),
    "learn": ("lessons", "induction"),
    "look": ("attention", "map"),
    "change": ("touch", "masks", "variants"),
    "write": ("decoding", "positions", "embeddings"),
    "measure": ("mattered", "corpus", "compare", "training"),
}
SUBJECTS = (*chain.from_iterable(_NAMES.values()), "lecture")
"""In their order; the last one has a button of its own."""
PAGES = tuple(import_module(f".subjects.{name}.page", __package__) for name in SUBJECTS)
"""Each has URL, and render(view)."""
PLACES: Mapping[str, tuple[ModuleType, ...]] = {
    place: tuple(PAGES[SUBJECTS.index(name)] for name in names) for place, names in _NAMES.items()
}
"""The views of each place."""
AS_PYTHON = {
    name: import_module(f".subjects.{name}.as_python", __package__).cards
    for name in SUBJECTS
    if find_spec(f".subjects.{name}.as_python", __package__)
}
"""By the URL of a page, what gives its cards as lines of Python."""
FIRST = PAGES[0]
FOREIGN_FIRST = PAGES[SUBJECTS.index("attention")]
"""Where a model begins that has nothing to start with."""
LESSONS = PAGES[SUBJECTS.index("lessons")]
"""The one page that a question covers nothing of."""


def title(module: ModuleType) -> str:
    """Name a page."""
    return say_of("page", module.URL)
