"""The words that a run copies into its translation: their places and their kinds."""

from collections.abc import Sequence

from model.text.encoding import Encoding
from model.text.stand_ins import CopiedKind, CopiedWord
from model.text.tokenizer import Tokenizers
from texts import say, say_of
from viz.pictures.tokens import Mark
from viz.run.record import Run


def marks_of(encoding: Encoding) -> tuple[Mark, ...]:
    """Mark the copied words in a text as it was typed."""
    return tuple(
        Mark(*span, _title(word.kind))
        for word in encoding.copied
        if (span := encoding.spans[word.index])
    )


def written_marks(run: Run) -> tuple[Mark, ...]:
    """Mark the copied words in the text that the model wrote."""
    titles = {word.text: _title(word.kind) for word in run.source.copied}
    tokenizer = run.info.tokenizers.target
    ids = run.target_ids
    marks: list[Mark] = []
    for place, token in enumerate(ids):
        if shown := tokenizer.shown.get(token):
            end = len(tokenizer.decode(ids[: place + 1]))
            marks.append(Mark(end - len(shown), end, titles[shown]))
    return tuple(marks)


def words_to_tell(encoding: Encoding) -> Sequence[tuple[str, str]]:
    """List the copied words worth mentioning, each once, with the name of its kind.

    Numbers and times are left out: a reader expects them to be the same in both languages.
    """
    told: dict[str, CopiedWord] = {}
    for word in encoding.copied:
        if word.kind not in ("number", "time"):
            told.setdefault(word.text.lower(), word)
    return [(word.text, as_what(word.kind)) for word in told.values()]


def is_stand_in(tokenizers: Tokenizers, token: str) -> bool:
    """Return whether a token is a stand-in for a copied word, and so not a word itself.

    A stand-in that is used in the text in view has the name of its word, and does not count.
    """
    stand_ins = tokenizers.stand_ins
    return stand_ins is not None and token in stand_ins.tokens


def candidate_name(tokenizers: Tokenizers, token: str) -> str:
    """Return the name of a candidate token; a stand-in gets a description instead."""
    return say("run.copied_word") if is_stand_in(tokenizers, token) else token


def _title(kind: CopiedKind) -> str:
    return say("run.carried", kind=as_what(kind))


def as_what(kind: CopiedKind) -> str:
    """Describe the kind of a copied word."""
    return say_of("run.as", kind.replace(" ", "_"))
