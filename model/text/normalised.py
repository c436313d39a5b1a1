"""Text as the tokenizers read it: normalised, split into words, each piece with its place."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from model.text.piece import Piece, Span
from model.text.short_forms import contraction, spoken

MAX_CHARACTERS = 20_000
"""Longest text that is read: far more than 512 tokens need, and still read in a fraction of a
second, whatever it holds."""

_APOSTROPHES = str.maketrans("\u2018\u2019\u02bc\uff07", "''''")
_COMPATIBLE = re.compile("[\ufb00-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")
"""Ligatures, as a PDF has them, and wide letters and digits: each is read as its plain letters."""
_JOINERS = "\u200c\u200d"
"""The two format characters that belong to a spelling: in Persian words, in emoji."""
_LONGEST_CLUSTER = 31
"""A letter and as many marks as Unicode's stream-safe text has (annex 15)."""

_PUNCTUATION = ".,?!"
_SIGNS = '"`´“”„‚«»‹›()[]{}:;-‐‑‒–—―…*/\\|_~•·¿¡'
"""What is left out at the edge of a word; apostrophes are too, where what is left is no word."""
_ENDS = "!?"
"""What is read as a full stop where it is not known itself; a comma is left out."""
_INNER = re.compile(rf"[{_PUNCTUATION}]|[^{_PUNCTUATION}]+")
_OWNER = "'s"
_HYPHENATED = re.compile(r"-[^\W\d_]")
_ELISION = re.compile(r"(?:[cdjlmnst]|qu|(?:jus|lors|puis|quoi)qu)'", re.IGNORECASE | re.ASCII)


class UnreadableTextError(ValueError):
    """A text that a tokenizer makes nothing of."""


class TextTooLongError(UnreadableTextError):
    """A text that is refused for its length, before anything is done with it."""


@dataclass(frozen=True)
class WholeWords:
    """Words that stay as they stand."""

    words: Collection[str]
    longest: int
    """Characters of the longest one: no more of a text need be looked up."""
    are_all: bool = False
    """Whether no other words are known: then more is tried to read one that is none of them."""

    @classmethod
    def of(cls, words: Collection[str], *, are_all: bool = False) -> "WholeWords":
        """Measure the words."""
        return cls(words, max(map(len, words), default=0), are_all)

    def has(self, text: str, start: int, end: int) -> bool:
        """Return whether a stretch of text is one of them."""
        return end - start <= self.longest and text[start:end] in self.words

    def is_one(self, piece: Piece) -> bool:
        """Return whether a piece is one of them."""
        return self.has(piece.text, 0, len(piece.text))


def check_length(text: str) -> None:
    """Raise TextTooLongError where there are more than MAX_CHARACTERS."""
    if len(text) > MAX_CHARACTERS:
        raise TextTooLongError(
            f"a text must have at most {MAX_CHARACTERS:,} characters, got {len(text):,}"
        )


def normalise(text: str, *, lower_case: bool) -> Piece:
    """Compose to NFC, drop control characters, make white space and apostrophes plain.

    Ligatures ("ﬁ") and wide letters become plain letters, each of which has the place of the one.
    Format characters (soft hyphens, marks of direction) are dropped too, but for the joiners of
    emoji and of some scripts. A lone surrogate becomes U+FFFD.
    """
    characters: list[str] = []
    spans: list[Span] = []
    for cluster, (start, end) in _clusters(text):
        composed = unicodedata.normalize("NFC", cluster)
        apart = composed == cluster and len(cluster) == end - start
        for i, character in enumerate(composed):
            new = (character.lower() if lower_case else character).translate(_APOSTROPHES)
            characters.append(new)
            spans += [(start + i, start + i + 1) if apart else (start, end)] * len(new)
    return Piece("".join(characters), tuple(spans))


def printable(text: str) -> str:
    """Replace lone surrogates, which no file, page or address can hold, by U+FFFD."""
    return "".join("\ufffd" if unicodedata.category(c) == "Cs" else c for c in text)


def _clusters(text: str) -> Iterator[tuple[str, Span]]:
    """Group the characters that composing may join, with the place of each group."""
    is_plain = text.isprintable() and not _COMPATIBLE.search(text)
    if is_plain and unicodedata.is_normalized("NFC", text):  # most text, and fast
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
    if _COMPATIBLE.match(character):
        return unicodedata.normalize("NFKC", character)
    category = unicodedata.category(character)
    if category == "Cs":
        return "\ufffd"
    dropped = category in ("Cc", "Cf") and character not in _JOINERS
    return "" if dropped else character


def _joins(cluster: str, character: str) -> bool:
    if character.isascii() or len(cluster) > _LONGEST_CLUSTER:
        return False
    if unicodedata.category(character).startswith("M"):
        return True
    # Korean syllables, and vowels of a few scripts, are composed of letters
    together = unicodedata.normalize("NFC", cluster + character)
    return not together.endswith(unicodedata.normalize("NFC", character))


def split_words(text: Piece, *, whole: WholeWords | None) -> list[Piece]:
    """Split at white space, then punctuation off words, then elisions and contractions.

    A word in `whole` stays as it stands, without the punctuation around it. With None all do: so
    training texts are read, in which what is to be split is split. Where `whole` are all words that
    are known, what is none of them loses the quotes, brackets and dashes around it, and is split
    before a possessive and at its hyphens if that makes known words of it; and no punctuation mark
    is an unknown word: it is left out, or read as a full stop. Takes time in proportion to the
    text's length, whatever the text.
    """
    words: list[Piece] = []
    matches = list(re.finditer(r"\S+", text.text))
    for match in matches:
        word = text.part(*match.span())
        pieces = list(_split_word(word, whole))
        if whole and whole.are_all and not all(map(whole.is_one, pieces)):
            pieces = list(_split_bare_word(word, whole, is_last=match is matches[-1]))
        words.extend(pieces)
    return words


def _split_word(word: Piece, whole: WholeWords | None) -> Iterator[Piece]:
    before, after = _inside(word.text, _PUNCTUATION)
    yield from (word.part(i, i + 1) for i in range(before))
    if before < after:
        yield from _split_core(word.part(before, after), whole)
    yield from (word.part(i, i + 1) for i in range(after, len(word.text)))


def _split_bare_word(word: Piece, whole: WholeWords, *, is_last: bool) -> Iterator[Piece]:
    """Split a word without the signs around it that are no words themselves."""

    def kept(start: int, end: int) -> list[Piece]:
        signs: list[Piece] = []
        for sign in (word.part(i, i + 1) for i in range(start, end)):
            if whole.is_one(sign):
                signs.append(sign)
            elif sign.text in _ENDS and "." in whole.words and not signs:
                signs.append(sign.rewritten("."))
        return signs

    text = word.text
    before, after = _inside(text, _PUNCTUATION + _SIGNS)
    owner: list[Piece] = []
    if not whole.has(text, before, after):
        is_quoted = text.startswith("'", before)
        before, after = _inside(text, f"{_PUNCTUATION}{_SIGNS}'")
        ends_so = after == len(text) - 1 and text.endswith("s'")
        if ends_so and not is_quoted and not is_last and _OWNER in whole.words:
            owner = [word.part(after, after + 1).rewritten(_OWNER)]  # as in "my parents' house"
    yield from kept(0, before)
    if before < after:
        yield from _split_core(word.part(before, after), whole)
    yield from owner or kept(after, len(text))


def _inside(text: str, edges: str) -> Span:
    """Find where a text begins and ends without the characters at its edges."""
    before = len(text) - len(text.lstrip(edges))
    if text[before : before + 1].isdecimal() and text.startswith("-", before - 1) and before:
        before -= 1  # "-5" is another number than "5"
    return before, max(before, len(text.rstrip(edges)))


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
        if whole.is_one(part):
            yield part
        elif not (whole.are_all and part.text in _PUNCTUATION):
            yield from _parts(part, whole) or [part]


def _parts(word: Piece, whole: WholeWords) -> list[Piece]:
    """Split a word that is not to stay whole. Empty if there is no way to."""
    found = contraction(word)
    if found or not whole.are_all:
        return found
    return spoken(word) or _possessive(word, whole) or _compound(word, whole)


def _possessive(word: Piece, whole: WholeWords) -> list[Piece]:
    """Split "girl's" where the possessive is a word of its own. Empty if it is none."""
    end = len(word.text) - len(_OWNER)
    if end < 1 or not word.text.endswith(_OWNER) or _OWNER not in whole.words:
        return []
    owner = word.part(0, end)
    owners = [] if whole.is_one(owner) else _compound(owner, whole)
    return [*(owners or [owner]), word.part(end, end + len(_OWNER))]


def _compound(word: Piece, whole: WholeWords) -> list[Piece]:
    """Split "twenty-one", and "donne-moi" before its hyphen. Empty unless all parts are known."""
    text = word.text
    ends = [match.start() for match in re.finditer("-|$", text)]
    if len(ends) == 1:
        return []
    parts = [word.part(0, ends[0])]
    for hyphen, end in pairwise(ends):
        if whole.has(text, hyphen, len(text)):  # as in "a-t-il"
            parts.append(word.part(hyphen, len(text)))
            break
        start = hyphen if whole.has(text, hyphen, end) else hyphen + 1
        parts.append(word.part(start, end))
    return parts if all(map(whole.is_one, parts)) else []


def splits(word: str) -> bool:
    """Whether `split_words` takes a normalised word apart unless it is to stay whole."""
    piece = Piece(word, tuple((i, i + 1) for i in range(len(word))))
    return len(list(_split_core(piece, WholeWords.of(())))) > 1


def join_words(words: Iterable[str]) -> str:
    """Write words as people do: "l'animal", "donne-moi", and no space before a full stop."""
    text = ""
    closed = True
    for word in words:
        follows = word in _PUNCTUATION or _HYPHENATED.match(word)
        text += word if closed or follows else f" {word}"
        closed = _ELISION.fullmatch(word.removeprefix("-")) is not None
    return text
