"""The subjects in the order of the navigation: a word here and a folder there are a page."""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from texts import say_of

SUBJECTS = (
    "start",
    "lessons",
    "attention",
    "touch",
    "map",
    "masks",
    "decoding",
    "positions",
    "embeddings",
    "mattered",
    "corpus",
    "induction",
    "compare",
    "variants",
    "training",
    "lecture",
)
PAGES = tuple(import_module(f".subjects.{name}.page", __package__) for name in SUBJECTS)
"""Each has URL, and render(view)."""
AS_PYTHON = {
    name: import_module(f".subjects.{name}.as_python", __package__).cards
    for name in SUBJECTS
    if find_spec(f".subjects.{name}.as_python", __package__)
}
"""By the URL of a page, what gives its cards as lines of Python."""
FIRST = PAGES[0]
LESSONS = PAGES[SUBJECTS.index("lessons")]
"""The one page that a question covers nothing of."""


def title(module: ModuleType) -> str:
    """Name a page."""
    return say_of("page", module.URL)
