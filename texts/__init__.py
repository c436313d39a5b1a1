"""Every text of the interface by key, in one file for each language, such as `en.json`."""

from texts.saying import language_name, listed, named, say, say_in, say_of
from texts.spoken import LANGUAGES, Language, accepted, asking, language, speaking

__all__ = [
    "LANGUAGES",
    "Language",
    "accepted",
    "asking",
    "language",
    "language_name",
    "listed",
    "named",
    "say",
    "say_in",
    "say_of",
    "speaking",
]
