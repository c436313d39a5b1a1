"""An example in its text with both tokens marked; a long text is cut around them."""

from markupsafe import Markup

from model.checkpoints.metadata import CheckpointInfo
from model.text.normalised import printable
from model.text.piece import Span
from viz.corpus.atlas import Pick
from viz.corpus.tables import HeadName
from viz.pictures.tokens import escape, joined
from viz.run.record import encode_typed

_WHOLE = 100
"""The length in characters of a text that is not cut."""
_AROUND = 24
"""The number of characters of a cut text that stay beside each marked token."""
_CUT = "…"

_Place = tuple[Span | None, str]
"""The place of a token, None for one outside the text, and the class of its mark."""


def writes(head: HeadName, example: Pick) -> bool:
    """Return whether the row writes a token; in a model of one text, it reads its own."""
    return bool(example.target) and head.kind != "encoder self-attention"


def excerpt(info: CheckpointInfo, head: HeadName, example: Pick) -> Markup:
    """Show the text that is read, and the decoder's written text, with the tokens marked."""
    source, target = printable(example.source), printable(example.target)
    if example.target:
        read = info.tokenizers.encode_source(source, typed=False).spans
    else:
        read = encode_typed(info, source).spans
    if not writes(head, example):
        query, key = _at(read, example.query), _at(read, example.key)
        return _marked(source, (query, "corpus-query"), (key, "corpus-key"))
    written = info.tokenizers.encode_target(target, typed=False).spans
    query = (_at(written, example.query + 1), "corpus-query")  # the row of the token before it
    if head.kind == "decoder self-attention":
        return _marked(target, query, (_at(written, example.key), "corpus-key"))
    key = (_at(read, example.key), "corpus-key")
    return _marked(source, key) + Markup(" → ") + _marked(target, query)


def _at(spans: tuple[Span | None, ...], place: int) -> Span | None:
    return spans[place] if place < len(spans) else None


def _marked(text: str, *places: _Place) -> Markup:
    """Mark parts of a text; if two are at one place, mark the key."""
    found = sorted((_trimmed(text, *span), name) for span, name in places if span)
    parts: list[Markup] = []
    end = 0
    for (start, stop), name in found:
        if start < end:
            continue
        parts.append(escape(_between(text, end, start)))
        parts.append(Markup('<b class="{}">{}</b>').format(name, escape(text[start:stop])))
        end = stop
    return joined([*parts, escape(_between(text, end, len(text)))])


def _trimmed(text: str, start: int, stop: int) -> Span:
    """Leave out the space with which a token begins."""
    space = len(text[start:stop]) - len(text[start:stop].lstrip())
    return (start + space, stop) if start + space < stop else (start, stop)


def _between(text: str, start: int, stop: int) -> str:
    """Return the text between two marks, or at an end; a long text is cut."""
    part = text[start:stop]
    if len(text) <= _WHOLE or len(part) <= 2 * _AROUND:
        return part
    if not start and stop == len(text):
        return f"{_whole_words(part[:_WHOLE])}{_CUT}"
    left = _whole_words(part[:_AROUND]) if start else ""
    right = _whole_words(part[: -_AROUND - 1 : -1])[::-1] if stop < len(text) else ""
    return f"{left}{_CUT}{right}"


def _whole_words(part: str) -> str:
    """Leave out the last word, which is cut off, unless it is one of many characters."""
    words, space, _ = part.rpartition(" ")
    return words + space if words.strip() else part
