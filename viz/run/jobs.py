"""What a head may be there for: which tokens it would read, row by row, if that were its job."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from viz.run.record import AttentionKind

Cells = Iterator[tuple[int, int]]
"""Rows with the keys that the job has them read; a row may have several."""

_CLOSING = frozenset(".?!")


@dataclass(frozen=True)
class Sentence:
    """A sentence with its translation, as far as the jobs ask for it."""

    source: tuple[str, ...]
    """Tokens, up to </s>."""
    target: tuple[str, ...]
    """Tokens from <s> on; row t of the decoder writes token t + 1."""
    source_classes: tuple[str, ...]
    """Parts of speech; empty text where none is known."""
    target_classes: tuple[str, ...]
    aligned: Mapping[int, frozenset[int]]
    """Row of the decoder -> the source positions that it translates."""


@dataclass(frozen=True)
class Job:
    """One thing that a head of a kind may do."""

    kind: AttentionKind
    words: str
    """What the head does, in words."""
    meaning: str
    """Which rows count, and what they have to read."""
    cells: Callable[[Sentence], Cells] = field(repr=False, compare=False)
    by_place: bool = False
    """Whether it is about where a token stands, not what it is."""


def _beside(step: int) -> Callable[[Sentence], Cells]:
    def cells(sentence: Sentence) -> Cells:
        size = len(sentence.source)
        return ((row, row + step) for row in range(size) if 0 <= row + step < size)

    return cells


def _source_end(sentence: Sentence) -> Cells:
    last = len(sentence.source) - 1
    return ((row, last) for row in range(last))


def _closing_mark(sentence: Sentence) -> Cells:
    marks = [key for key, token in enumerate(sentence.source) if token in _CLOSING]
    return (
        (row, mark) for mark in marks[-1:] for row in range(len(sentence.source)) if row != mark
    )


def _search(
    classes: tuple[str, ...], rows: str, keys: str, *, step: int, over: str = ""
) -> Iterator[tuple[int, int]]:
    """Go from each word of some classes to the next of others, over certain classes only."""
    of_rows, of_keys, passed = set(rows.split()), set(keys.split()), set(over.split())
    for row, name in enumerate(classes):
        if name not in of_rows:
            continue
        key = row + step
        while 0 <= key < len(classes) and classes[key] not in of_keys and classes[key] in passed:
            key += step
        if 0 <= key < len(classes) and classes[key] in of_keys:
            yield row, key


def _related(rows: str, keys: str, *, step: int, over: str = "", turned: bool = False):  # noqa: ANN202
    def cells(sentence: Sentence) -> Cells:
        found = _search(sentence.source_classes, rows, keys, step=step, over=over)
        return ((key, row) for row, key in found) if turned else found

    return cells


def _noun_before(sentence: Sentence) -> Cells:
    classes = sentence.source_classes
    for row, name in enumerate(classes):
        if name == "pronoun":
            yield from ((row, key) for key in range(row) if classes[key] == "noun")


_NOUN = {"keys": "noun", "step": 1, "over": "adjective adverb conjunction"}
_SUBJECT = {"keys": "noun pronoun", "step": -1, "over": "auxiliary negation adverb"}
_OBJECT = {"rows": "verb", "keys": "noun", "step": 1, "over": "determiner adjective"}
_VERB = {
    "rows": "auxiliary",
    "keys": "verb",
    "step": 1,
    "over": "negation adverb pronoun noun determiner",
}
_DEGREE = {"rows": "adverb", "keys": "adjective", "step": 1}
_SAID_OF = {
    "rows": "adjective",
    "keys": "noun pronoun",
    "step": -1,
    "over": "adverb auxiliary negation",
}


def _encoder_jobs() -> Iterator[Job]:
    for words, meaning, cells in (
        ("reads the token before", "Every row but the first.", _beside(-1)),
        ("reads the token after", "Every row but the last.", _beside(1)),
        ("reads its own token", "Every row.", _beside(0)),
        ("reads the end of the sentence", "Every row but the last reads </s>.", _source_end),
        (
            "reads the closing mark",
            "Every other row reads the last full stop or mark.",
            _closing_mark,
        ),
    ):
        yield Job("encoder self-attention", words, meaning, cells, by_place=True)
    for words, meaning, cells in (
        (
            "determiners and adjectives read their noun",
            "The next noun, with adjectives at most between.",
            _related("determiner adjective", **_NOUN),
        ),
        (
            "determiners read their noun",
            "The next noun, with adjectives at most between.",
            _related("determiner", **_NOUN),
        ),
        (
            "adjectives read their noun",
            "The next noun, with adjectives at most between.",
            _related("adjective", **_NOUN),
        ),
        (
            "nouns read their adjective",
            "An adjective before the noun.",
            _related("adjective", **_NOUN, turned=True),
        ),
        (
            "nouns read their determiner",
            "The determiner before the noun, with adjectives at most between.",
            _related("determiner", **_NOUN, turned=True),
        ),
        (
            "verbs read their subject",
            "The noun or pronoun before the verb, with helping words at most between.",
            _related("verb", **_SUBJECT),
        ),
        (
            "subjects read their verb",
            "The verb after a noun or pronoun, with helping words at most between.",
            _related("verb", **_SUBJECT, turned=True),
        ),
        (
            "verbs read their object",
            "The noun after the verb, with determiners and adjectives at most between.",
            _related(**_OBJECT),
        ),
        (
            "objects read their verb",
            "The verb before a noun, with determiners and adjectives at most between.",
            _related(**_OBJECT, turned=True),
        ),
        (
            "helping verbs read their verb",
            "The verb after did, is, has and the like.",
            _related(**_VERB),
        ),
        (
            "verbs read their helping verb",
            "Did, is, has and the like before the verb.",
            _related(**_VERB, turned=True),
        ),
        (
            "helping verbs read their subject",
            "The noun or pronoun before did, is, has and the like.",
            _related("auxiliary", **_SUBJECT),
        ),
        (
            "subjects read their helping verb",
            "Did, is, has and the like after a noun or pronoun.",
            _related("auxiliary", **_SUBJECT, turned=True),
        ),
        (
            "“not” reads its helping verb",
            "The helping verb right before it.",
            _related("negation", "auxiliary", step=-1),
        ),
        (
            "helping verbs read their “not”",
            "The negation right after it.",
            _related("negation", "auxiliary", step=-1, turned=True),
        ),
        (
            "adjectives read their adverb",
            "The adverb right before it, as in “too tired”.",
            _related(**_DEGREE, turned=True),
        ),
        (
            "adjectives read what they are said of",
            "The noun or pronoun before “is” or “was”, as in “the street is wide”.",
            _related(**_SAID_OF),
        ),
        ("pronouns read a noun before them", "Any noun before the pronoun.", _noun_before),
    ):
        yield Job("encoder self-attention", words, meaning, cells)


def _written(back: int) -> Callable[[Sentence], Cells]:
    def cells(sentence: Sentence) -> Cells:
        return ((row, row - back) for row in range(back, len(sentence.target) - 1))

    return cells


def _start(sentence: Sentence) -> Cells:
    return ((row, 0) for row in range(1, len(sentence.target) - 1))


def _latest(writing: str, read: str) -> Callable[[Sentence], Cells]:
    """Find the latest word of some classes, where one of others is written."""
    of_rows, of_keys = set(writing.split()), set(read.split())

    def cells(sentence: Sentence) -> Cells:
        classes = sentence.target_classes
        for row in range(1, len(classes) - 1):
            if classes[row + 1] in of_rows:
                keys = [key for key in range(row + 1) if classes[key] in of_keys]
                yield from ((row, key) for key in keys[-1:])

    return cells


def _decoder_jobs() -> Iterator[Job]:
    for words, meaning, cells in (
        ("reads the token just written", "Every row.", _written(0)),
        ("reads the token written before that", "Every row but the first.", _written(1)),
        ("reads the start of the sentence", "Every row but the first reads <s>.", _start),
    ):
        yield Job("decoder self-attention", words, meaning, cells, by_place=True)
    for words, meaning, cells in (
        (
            "to write a noun, reads the determiner before it",
            "The latest determiner, in rows that write a noun.",
            _latest("noun", "determiner"),
        ),
        (
            "to write an adjective, reads the noun before it",
            "The latest noun, in rows that write an adjective.",
            _latest("adjective", "noun"),
        ),
        (
            "to write a verb, reads the subject before it",
            "The latest noun or pronoun, in rows that write a verb or a helping verb.",
            _latest("verb auxiliary", "noun pronoun"),
        ),
        (
            "to write a verb, reads its helping verb",
            "The latest helping verb, in rows that write a verb.",
            _latest("verb", "auxiliary"),
        ),
        (
            "to write the second half of “ne … pas”, reads the verb",
            "The latest verb or helping verb, in rows that write a negation.",
            _latest("negation", "verb auxiliary"),
        ),
    ):
        yield Job("decoder self-attention", words, meaning, cells)


def _translated(shift: int = 0) -> Callable[[Sentence], Cells]:
    """Go from each row to what another row translates."""

    def cells(sentence: Sentence) -> Cells:
        rows = range(len(sentence.target) - 1)
        return ((row, key) for row in rows for key in sentence.aligned.get(row + shift, ()))

    return cells


def _translated_when(name: str) -> Callable[[Sentence], Cells]:
    def cells(sentence: Sentence) -> Cells:
        classes = sentence.target_classes
        return ((row, key) for row, key in _translated()(sentence) if classes[row + 1] == name)

    return cells


def _one_further(sentence: Sentence) -> Cells:
    for row, keys in sentence.aligned.items():
        after = max(keys) + 1
        if after < len(sentence.source):
            yield row, after


def _through(*related: Callable[[Sentence], Cells]) -> Callable[[Sentence], Cells]:
    """Go to what the translated word is related to."""

    def cells(sentence: Sentence) -> Cells:
        leads = list(chain.from_iterable(cells(sentence) for cells in related))
        for row, keys in sentence.aligned.items():
            yield from ((row, to) for start, to in leads if start in keys)

    return cells


def _cross_end(sentence: Sentence) -> Cells:
    last = len(sentence.source) - 1
    return ((row, last) for row in range(len(sentence.target) - 2))


def _cross_jobs() -> Iterator[Job]:
    end = "Every row but the last reads </s>."
    yield Job("cross-attention", "reads the end of the source", end, _cross_end, by_place=True)
    for words, meaning, cells in (
        (
            "reads what it translates",
            "By the gold alignment, in rows that have one.",
            _translated(),
        ),
        (
            "reads what was translated just before",
            "What the row before is aligned with.",
            _translated(-1),
        ),
        (
            "reads on, one token after what it translates",
            "The token after the last one that the row is aligned with.",
            _one_further,
        ),
        (
            "to write a determiner or adjective, reads the noun",
            "The noun that the aligned determiner or adjective belongs to.",
            _through(_related("determiner adjective", **_NOUN)),
        ),
        (
            "to write a verb, reads its subject",
            "The noun or pronoun before the aligned verb or helping verb.",
            _through(_related("verb auxiliary", **_SUBJECT)),
        ),
        *(
            (
                f"to write {name}, reads what it translates",
                f"By the gold alignment, in rows that write {name}.",
                _translated_when(name.split(" ", 1)[1]),
            )
            for name in (
                "a noun",
                "a verb",
                "an adjective",
                "an adverb",
                "a determiner",
                "a pronoun",
                "an auxiliary",
                "a negation",
            )
        ),
    ):
        yield Job("cross-attention", words, meaning, cells)


JOBS: tuple[Job, ...] = (*_encoder_jobs(), *_decoder_jobs(), *_cross_jobs())
"""Every job that is looked for, by kind."""
