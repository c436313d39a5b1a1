"""Relations between tokens of a sentence: neighbours, nouns and verbs, translations."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Self

Cells = Iterator[tuple[int, int]]
"""Rows, each with a key that it would read; a row may occur with several keys."""
Relation = Callable[["Sentence"], Cells]

_CLOSING = frozenset(".?!")


@dataclass(frozen=True)
class Sentence:
    """A sentence with its translation, as the jobs need it."""

    source: tuple[str, ...]
    """Tokens, up to </s>."""
    target: tuple[str, ...]
    """Tokens from <s> on; row t of the decoder writes token t + 1."""
    source_classes: tuple[str, ...]
    """Parts of speech; an empty string if unknown."""
    target_classes: tuple[str, ...]
    aligned: Mapping[int, frozenset[int]]
    """Row of the decoder -> the source positions that it translates."""
    referents: Mapping[int, int] = field(default_factory=dict)
    """Position of "it" -> position of its noun, if the sample data know it."""

    @classmethod
    def of_one_text(cls, tokens: tuple[str, ...]) -> Self:
        """Return the one text of a model, without any knowledge of its words."""
        unknown = ("",) * len(tokens)
        return cls(tokens, tokens, unknown, unknown, {})


def beside(step: int) -> Relation:
    """Relate each token to the one `step` places later."""

    def cells(sentence: Sentence) -> Cells:
        size = len(sentence.source)
        return ((row, row + step) for row in range(size) if 0 <= row + step < size)

    return cells


def first_token(sentence: Sentence) -> Cells:
    """Relate every other row to the first token."""
    return ((row, 0) for row in range(1, len(sentence.source)))


def source_end(sentence: Sentence) -> Cells:
    """Relate every other row to the last token, which is </s> if there is one."""
    last = len(sentence.source) - 1
    return ((row, last) for row in range(last))


def same_before(sentence: Sentence) -> Cells:
    """Relate a token to each earlier occurrence of the same token."""
    seen: dict[str, list[int]] = {}
    for row, token in enumerate(sentence.source):
        yield from ((row, key) for key in seen.get(token, ()))
        seen.setdefault(token, []).append(row)


def after_same(sentence: Sentence) -> Cells:
    """Relate a token to the successors of its earlier occurrences: induction."""
    return ((row, key + 1) for row, key in same_before(sentence) if key + 1 < row)


def closing_mark(sentence: Sentence) -> Cells:
    """Relate every other row to the last full stop, question mark or exclamation mark."""
    marks = [key for key, token in enumerate(sentence.source) if token in _CLOSING]
    return (
        (row, mark) for mark in marks[-1:] for row in range(len(sentence.source)) if row != mark
    )


def _classes(names: str) -> set[str]:
    """Split the names of classes in "noun|pronoun"."""
    return set(names.split("|")) if names else set()


def _search(
    classes: tuple[str, ...], rows: str, keys: str, *, step: int, over: str = ""
) -> Iterator[tuple[int, int]]:
    """Relate words of some classes to the next word of others, past certain classes only."""
    of_rows, of_keys, passed = map(_classes, (rows, keys, over))
    for row, name in enumerate(classes):
        if name not in of_rows:
            continue
        key = row + step
        while 0 <= key < len(classes) and classes[key] not in of_keys and classes[key] in passed:
            key += step
        if 0 <= key < len(classes) and classes[key] in of_keys:
            yield row, key


def related(rows: str, keys: str, *, step: int, over: str = "", turned: bool = False) -> Relation:
    """Relate words of some classes to the next word of others, or the reverse if turned."""

    def cells(sentence: Sentence) -> Cells:
        found = _search(sentence.source_classes, rows, keys, step=step, over=over)
        return ((key, row) for row, key in found) if turned else found

    return cells


def referent(sentence: Sentence) -> Cells:
    """Relate a pronoun to the noun that it refers to."""
    return iter(sentence.referents.items())


def written(back: int) -> Relation:
    """Relate each row to the token written last, or `back` places before it."""

    def cells(sentence: Sentence) -> Cells:
        return ((row, row - back) for row in range(back, len(sentence.target) - 1))

    return cells


def sentence_start(sentence: Sentence) -> Cells:
    """Relate every row except the first to <s>."""
    return ((row, 0) for row in range(1, len(sentence.target) - 1))


def latest(writing: str, read: str) -> Relation:
    """Relate rows that write a word of some classes to the latest word of others."""
    of_rows, of_keys = _classes(writing), _classes(read)

    def cells(sentence: Sentence) -> Cells:
        classes = sentence.target_classes
        for row in range(1, len(classes) - 1):
            if classes[row + 1] in of_rows:
                keys = [key for key in range(row + 1) if classes[key] in of_keys]
                yield from ((row, key) for key in keys[-1:])

    return cells


def translated(shift: int = 0) -> Relation:
    """Relate each row to the source tokens that the row `shift` places later translates."""

    def cells(sentence: Sentence) -> Cells:
        rows = range(len(sentence.target) - 1)
        return ((row, key) for row in rows for key in sentence.aligned.get(row + shift, ()))

    return cells


def translated_when(name: str) -> Relation:
    """Relate rows that write a word of a class to the source tokens that they translate."""
    of_rows = translated()

    def cells(sentence: Sentence) -> Cells:
        classes = sentence.target_classes
        return ((row, key) for row, key in of_rows(sentence) if classes[row + 1] == name)

    return cells


def one_further(sentence: Sentence) -> Cells:
    """Relate each row to the token after those that it translates."""
    for row, keys in sentence.aligned.items():
        after = max(keys) + 1
        if after < len(sentence.source):
            yield row, after


def through(*related: Relation) -> Relation:
    """Relate each row to the words that are related to the words that it translates."""

    def cells(sentence: Sentence) -> Cells:
        leads = list(chain.from_iterable(cells(sentence) for cells in related))
        for row, keys in sentence.aligned.items():
            yield from ((row, to) for start, to in leads if start in keys)

    return cells


def end_read_across(sentence: Sentence) -> Cells:
    """Relate every row except the last to the </s> of the source."""
    last = len(sentence.source) - 1
    return ((row, last) for row in range(len(sentence.target) - 2))
