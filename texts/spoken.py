"""The language that whoever reads is to be spoken to in."""

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
"""English, which says what another one lacks, and all others that have a file."""

_LONGEST_HEADER = 200
_spoken: ContextVar[Language | None] = ContextVar("spoken", default=None)
_askers: list[Callable[[], Language | None]] = []


def language() -> Language:
    """Return the language in force: of `speaking`, else of who was asked, else English."""
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
    """Speak one language meanwhile, whatever else is known."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


def asking(ask: Callable[[], Language | None]) -> None:
    """Let a function say which language the reader of the moment has; None where it knows none."""
    _askers.append(ask)
