"""Help to type a sentence in the browser: the words that the model knows, and the marks."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from model.text.encoding import Encoding
from sample_data.tasks import source_classes
from viz.frame import words
from viz.frame.wire import WireJudged, WireVocabulary
from viz.pictures.component import picture

if TYPE_CHECKING:
    from model.checkpoints.metadata import CheckpointInfo

_MOST_WORDS = 20_000
_LONGEST_MARKED = 2_000

NO_WORDS: WireVocabulary = {
    "words": [],
    "parts": [],
    "names": [],
    "whole": False,
    "carries": False,
}
"""The vocabulary of a model that reads parts of words, which cannot complete a word."""

_typing = picture("typing", "frame/browser/field.js")
_words = picture("words", "frame/browser/words.js")


def help_typing(text: str, encoding: Encoding | None) -> None:
    """Complete words in the source field, and mark the words that the model does not know."""
    _typing(key="field_help", data=judged(text, encoding))


def help_typing_pieces() -> None:
    """Let the browser read the text at each key, for a model that reads parts of words."""
    _typing(key="field_help", data={**judged("", None), "pieces": True})


def show_known_words(info: "CheckpointInfo") -> None:
    """Offer the list of the words that the model knows."""
    _words(key="known_words", data=vocabulary(info))


def judged(text: str, encoding: Encoding | None) -> WireJudged:
    """Pack the places of unknown and copied words in a source; nothing for a very long one."""
    if encoding is None or len(text) > _LONGEST_MARKED:
        return {"text": "", "unknown": [], "carried": []}
    spans = [encoding.spans[word.index] for word in encoding.copied]
    return {
        "text": text,
        "unknown": [(word.start, word.end) for word in encoding.unknown],
        "carried": [span for span in spans if span],
    }


def knows_words(info: "CheckpointInfo") -> bool:
    """Return whether a model reads words, rather than parts of them."""
    return info.tokenizers.source.kind == "word"


def vocabulary(info: "CheckpointInfo") -> WireVocabulary:
    """Pack the words that a model knows, the most frequent first, with their parts of speech."""
    source, stand_ins = info.tokenizers.source, info.tokenizers.stand_ins
    hidden = stand_ins.tokens if stand_ins else frozenset[str]()
    ids: Mapping[str, int] = source.vocabulary
    known = sorted((word for word in ids if word not in hidden), key=ids.__getitem__)
    shown = known[:_MOST_WORDS]
    classes = source_classes(info.task)
    parts = [words.part_of(classes.get(word), word) for word in shown]
    names = [name for name in words.PARTS if name in parts]
    return {
        "words": shown,
        "parts": [names.index(part) for part in parts],
        "names": names,
        "whole": len(shown) == len(known),
        "carries": stand_ins is not None,
    }
