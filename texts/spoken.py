"""The language of the texts for the current reader."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

Language = str
"""The name of a file of texts: "en" of `en.json`."""
FOLDER = Path(__file__).parent
LANGUAGES: tuple[Language, ...] = (
    "en",
    *sorted(path.stem for path in FOLDER.glob("*.json") if path.stem != "en"),
)
"""English first, because it has the texts that others lack; then all languages with a file."""

_LONGEST_HEADER = 200
_spoken: ContextVar[Language | None] = ContextVar("spoken", default=None)
_askers: list[Callable[[], Language | None]] = []


def language() -> Language:
    """Return the language in force: of `speaking`, else of the reader, else English."""
    if found := _spoken.get():
        return found
    for ask in _askers:
        if found := ask():
            return found
    return LANGUAGES[0]


def accepted(header: str | None) -> Language:
    """Return the language that a browser prefers, by its Accept-Language header or a name."""
    for wanted in (header or "")[:_LONGEST_HEADER].lower().split(","):
        for one in LANGUAGES:
            if wanted.strip().startswith(one):
                return one
    return LANGUAGES[0]


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Use one language within the block, whatever the functions say."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


def asking(ask: Callable[[], Language | None]) -> None:
    """Register a function that returns the current reader's language, or None if it is unknown."""
    _askers.append(ask)
