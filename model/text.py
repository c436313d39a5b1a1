"""Text as the tokenizers read it: normalised, split into words, each piece with its place."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

Span = tuple[int, int]
"""Start and end of a stretch of characters in the text as typed."""

MAX_CHARACTERS = 20_000
"""Longest text that is read: far more than 512 tokens need, and still read in a fraction of a
second, whatever it holds."""

_APOSTROPHES = str.maketrans("\u2018\u2019\u02bc\uff07", "''''")
_JOINERS = "\u200c\u200d"
"""The two format characters that belong to a spelling: in Persian words, in emoji."""
_LONGEST_CLUSTER = 31
"""A letter and as many marks as Unicode's stream-safe text has (annex 15)."""

_PUNCTUATION = ".,?!"
_INNER = re.compile(rf"[{_PUNCTUATION}]|[^{_PUNCTUATION}]+")
_ELISION = re.compile(r"(?:[cdjlmnst]|qu|(?:jus|lors|puis|quoi)qu)'", re.IGNORECASE)

_CONTRACTION = re.compile(
    r"(?P<can>can)(?:'t|not)|(?P<stem>\w+)n't|(?P<subject>i|you|he|she|it|we|they)'(?P<verb>\w+)",
    re.IGNORECASE,
)
_FULL_STEMS = {"wo": "will", "sha": "shall"}
_FULL_VERBS = {"m": "am", "re": "are", "s": "is", "ve": "have", "ll": "will"}


class TextTooLongError(ValueError):
    """A text that is refused for its length, before anything is done with it."""


@dataclass(frozen=True)
class Piece:
    """Normalised text, and the span of each of its characters in the text as typed."""

    text: str
    spans: tuple[Span, ...]

    @property
    def span(self) -> Span:
        """From the first character's start to the last one's end."""
        return self.spans[0][0], self.spans[-1][1]

    def part(self, start: int, end: int) -> "Piece":
        """Cut out some of its characters."""
        return Piece(self.text[start:end], self.spans[start:end])

    def rewritten(self, text: str) -> "Piece":
        """Put another text in its place; each new character stands for the whole of it."""
        return Piece(text, (self.span,) * len(text))


@dataclass(frozen=True)
class WholeWords:
    """Words that stay as they stand."""

    words: Collection[str]
    longest: int
    """Characters of the longest one: no more of a text need be looked up."""

    @classmethod
    def of(cls, words: Collection[str]) -> "WholeWords":
        """Measure the words."""
        return cls(words, max(map(len, words), default=0))

    def has(self, text: str, start: int, end: int) -> bool:
        """Tell whether a stretch of text is one of them."""
        return end - start <= self.longest and text[start:end] in self.words


def check_length(text: str) -> None:
    """Raise TextTooLongError where there are more than MAX_CHARACTERS."""
    if len(text) > MAX_CHARACTERS:
        raise TextTooLongError(
            f"a text must have at most {MAX_CHARACTERS:,} characters, got {len(text):,}"
        )


def normalise(text: str, *, lower_case: bool) -> Piece:
    """Compose to NFC, drop control characters, make white space and apostrophes plain.

    Format characters (soft hyphens, marks of direction) are dropped too, but for the joiners of
    emoji and of some scripts. A lone surrogate becomes U+FFFD.
    """
    characters: list[str] = []
    spans: list[Span] = []
    for cluster, span in _clusters(text):
        composed = unicodedata.normalize("NFC", cluster)
        new = "".join(map(str.lower, composed)) if lower_case else composed
        characters.append(new.translate(_APOSTROPHES))
        start, end = span
        apart = len(new) == len(cluster) == end - start and composed == cluster
        spans += [(i, i + 1) for i in range(start, end)] if apart else [span] * len(new)
    return Piece("".join(characters), tuple(spans))


def printable(text: str) -> str:
    """Replace lone surrogates, which no file, page or address can hold, by U+FFFD."""
    return "".join("\ufffd" if unicodedata.category(c) == "Cs" else c for c in text)


def _clusters(text: str) -> Iterator[tuple[str, Span]]:
    """Group the characters that composing may join, with the place of each group."""
    if text.isprintable() and unicodedata.is_normalized("NFC", text):  # most text, and fast
        yield from ((character, (i, i + 1)) for i, character in enumerate(text))
        return
    cluster, start, end = "", 0, 0
    for i, typed in enumerate(text):
        if not (character := _plain(typed)):
            continue
        if cluster and not _joins(cluster, character):
            yield cluster, (start, end)
            cluster = ""
        start = start if cluster else i
        cluster, end = cluster + character, i + 1
    if cluster:
        yield cluster, (start, end)


def _plain(character: str) -> str:
    if character.isspace():
        return " "
    category = unicodedata.category(character)
    if category == "Cs":
        return "\ufffd"
    dropped = category in ("Cc", "Cf") and character not in _JOINERS
    return "" if dropped else character


def _joins(cluster: str, character: str) -> bool:
    if character.isascii() or len(cluster) > _LONGEST_CLUSTER:
        return False
    if unicodedata.combining(character):
        return True
    # Korean syllables and a few Indic vowels are composed of characters that combine with nothing
    together = unicodedata.normalize("NFC", cluster + character)
    return not together.endswith(unicodedata.normalize("NFC", character))


def split_words(text: Piece, *, whole: WholeWords | None) -> list[Piece]:
    """Split at white space, then punctuation off words, then elisions and contractions.

    A word in `whole` stays as it stands, without the punctuation around it. With None all do: so
    training texts are read, in which what is to be split is split. Takes time in proportion to the
    text's length, whatever the text.
    """
    words: list[Piece] = []
    for match in re.finditer(r"\S+", text.text):
        start, end = match.span()
        before = end - len(match[0].lstrip(_PUNCTUATION))
        after = max(before, start + len(match[0].rstrip(_PUNCTUATION)))
        words.extend(text.part(i, i + 1) for i in range(start, before))
        if before < after:
            words.extend(_split_core(text.part(before, after), whole))
        words.extend(text.part(i, i + 1) for i in range(after, end))
    return words


def _split_core(word: Piece, whole: WholeWords | None) -> Iterator[Piece]:
    text = word.text
    if whole is None or whole.has(text, 0, len(text)):
        yield word
        return
    for match in _INNER.finditer(text):
        start, end = match.span()
        while not whole.has(text, start, end) and (elision := _ELISION.match(text, start, end)):
            if elision.end() == end:
                break
            yield word.part(start, elision.end())
            start = elision.end()
        part = word.part(start, end)
        yield from [part] if whole.has(text, start, end) else _contraction(part) or [part]


def _contraction(word: Piece) -> list[Piece]:
    """Write an English contraction out: "doesn't" is "does" and "not". Empty if it is none."""
    match = _CONTRACTION.fullmatch(word.text)
    if match is None:
        return []
    first = match["stem"] or match["can"] or match["subject"]
    head, tail = word.part(0, len(first)), word.part(len(first), len(word.text))
    if match["subject"] is None:
        full_stem = _FULL_STEMS.get(first.lower())
        return [head.rewritten(full_stem) if full_stem else head, tail.rewritten("not")]
    full_verb = _FULL_VERBS.get(match["verb"].lower())
    return [head, tail.rewritten(full_verb)] if full_verb else []


def splits(word: str) -> bool:
    """Whether `split_words` takes a normalised word apart unless it is to stay whole."""
    piece = Piece(word, tuple((i, i + 1) for i in range(len(word))))
    return len(list(_split_core(piece, WholeWords.of(())))) > 1


def join_words(words: Iterable[str]) -> str:
    """Write words as people do: "l'animal", and no space before a full stop."""
    text = ""
    closed = True
    for word in words:
        text += word if closed or word in _PUNCTUATION else f" {word}"
        closed = _ELISION.fullmatch(word) is not None
    return text
