"""Every text of the interface, by key: one file a language, `en.json` and `fr.json`."""

from texts.saying import listed, named, say, say_of
from texts.spoken import LANGUAGES, NAMES, Language, accepted, asking, language, speaking

__all__ = [
    "LANGUAGES",
    "NAMES",
    "Language",
    "accepted",
    "asking",
    "language",
    "listed",
    "named",
    "say",
    "say_of",
    "speaking",
]
