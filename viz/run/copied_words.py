"""The words that a run carries over into its translation: where they stand, and as what."""

from collections.abc import Sequence

from model.text.encoding import Encoding
from model.text.stand_ins import CopiedKind, CopiedWord
from model.text.tokenizer import Tokenizers
from texts import say, say_of
from viz.pictures.tokens import Mark
from viz.run.record import Run


def marks_of(encoding: Encoding) -> tuple[Mark, ...]:
    """Mark the words that are carried over in a text as it was typed."""
    return tuple(
        Mark(*span, _title(word.kind))
        for word in encoding.copied
        if (span := encoding.spans[word.index])
    )


def written_marks(run: Run) -> tuple[Mark, ...]:
    """Mark the words that were carried over in what the model wrote."""
    titles = {word.text: _title(word.kind) for word in run.source.copied}
    tokenizer = run.info.tokenizers.target
    ids = run.target_ids
    marks: list[Mark] = []
    for place, token in enumerate(ids):
        if shown := tokenizer.shown.get(token):
            end = len(tokenizer.decode(ids[: place + 1]))  # of the text, up to this word
            marks.append(Mark(end - len(shown), end, titles[shown]))
    return tuple(marks)


def words_to_tell(encoding: Encoding) -> Sequence[tuple[str, str]]:
    """List the words of which it is told that they are carried over, each once, and as what.

    Nobody wonders at a number or a time that is the same in both languages.
    """
    told: dict[str, CopiedWord] = {}
    for word in encoding.copied:
        if word.kind not in ("number", "time"):
            told.setdefault(word.text.lower(), word)
    return [(word.text, as_what(word.kind)) for word in told.values()]


def is_stand_in(tokenizers: Tokenizers, token: str) -> bool:
    """Return whether a token stands in for a word that is carried over, and so is no word itself.

    One that does so in the text in view is named after its word.
    """
    stand_ins = tokenizers.stand_ins
    return stand_ins is not None and token in stand_ins.tokens


def candidate_name(tokenizers: Tokenizers, token: str) -> str:
    """Name a token that may be written: of a stand-in that it is one."""
    return say("run.copied_word") if is_stand_in(tokenizers, token) else token


def _title(kind: CopiedKind) -> str:
    return say("run.carried", kind=as_what(kind))


def as_what(kind: CopiedKind) -> str:
    """Describe what a word is taken to be that is carried over."""
    return say_of("run.as", kind.replace(" ", "_"))
