"""Normalises text and splits it into words, and keeps the place of each piece."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from model.text.piece import Piece, Span
from model.text.short_forms import contraction, spoken

MAX_CHARACTERS = 20_000
"""The longest text that is read: far more than 512 tokens need, yet read in a fraction of a second
whatever its content."""

_APOSTROPHES = str.maketrans("\u2018\u2019\u02bc\uff07", "''''")
_COMPATIBLE = re.compile("[\ufb00-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")
"""Ligatures, as in PDF files, and wide letters and digits, which are read as plain letters."""
_JOINERS = "\u200c\u200d"
"""The two format characters that are part of a spelling, in Persian words and in emoji."""
_LONGEST_CLUSTER = 31
"""A letter and the largest number of marks in Unicode's stream-safe text (annex 15)."""

_PUNCTUATION = ".,?!"
_SIGNS = '"`´“”„‚«»‹›()[]{}:;-‐‑‒–—―…*/\\|_~•·¿¡'
"""The characters removed at the edge of a word; so are apostrophes, if the rest is not a word."""
_ENDS = "!?"
"""The marks read as a full stop if they are unknown; an unknown comma is left out."""
_INNER = re.compile(rf"[{_PUNCTUATION}]|[^{_PUNCTUATION}]+")
_OWNER = "'s"
_HYPHENATED = re.compile(r"-[^\W\d_]")
_ELISION = re.compile(r"(?:[cdjlmnst]|qu|(?:jus|lors|puis|quoi)qu)'", re.IGNORECASE | re.ASCII)


class UnreadableTextError(ValueError):
    """A text that a tokenizer cannot process."""


class TextTooLongError(UnreadableTextError):
    """A text that is refused because of its length, before any processing."""


@dataclass(frozen=True)
class WholeWords:
    """The words that are not split."""

    words: Collection[str]
    longest: int
    """The length of the longest word, which limits lookups in a text."""
    are_all: bool = False
    """Whether these are all known words, so that more rules are tried for an unknown one."""

    @classmethod
    def of(cls, words: Collection[str], *, are_all: bool = False) -> "WholeWords":
        """Take the words and measure the longest."""
        return cls(words, max(map(len, words), default=0), are_all)

    def has(self, text: str, start: int, end: int) -> bool:
        """Return whether a stretch of text is one of them."""
        return end - start <= self.longest and text[start:end] in self.words

    def is_one(self, piece: Piece) -> bool:
        """Return whether a piece is one of them."""
        return self.has(piece.text, 0, len(piece.text))


def check_length(text: str) -> None:
    """Raise TextTooLongError if there are more than MAX_CHARACTERS."""
    if len(text) > MAX_CHARACTERS:
        raise TextTooLongError(
            f"a text must have at most {MAX_CHARACTERS:,} characters, got {len(text):,}"
        )


def normalise(text: str, *, lower_case: bool) -> Piece:
    """Compose to NFC, drop control characters, and make white space and apostrophes plain.

    Ligatures ("ﬁ") and wide letters become plain letters, each with the place of the original.
    Format characters (soft hyphens, marks of direction) are dropped, except the joiners of emoji
    and of some scripts. A lone surrogate becomes U+FFFD.
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
    """Replace lone surrogates by U+FFFD, as no file, page or address can contain them."""
    return re.sub(r"[\ud800-\udfff]", "\ufffd", text)


def _clusters(text: str) -> Iterator[tuple[str, Span]]:
    """Group the characters that composing may join, with the place of each group."""
    is_plain = text.isprintable() and not _COMPATIBLE.search(text)
    if is_plain and unicodedata.is_normalized("NFC", text):  # the fast path, for most text
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

    A word in `whole` is not split, apart from the punctuation around it. With None, no word is,
    which suits training texts because they are split already. If `whole` holds all known words, any
    other word loses the quotes, brackets and dashes around it, and is split before a possessive and
    at its hyphens if the parts are known words. An unknown punctuation mark is left out or read as
    a full stop. The time is proportional to the text's length, whatever its content.
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
    """Split a word without the surrounding signs that are not words themselves."""

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
    """Find the beginning and end of a text without the characters at its edges."""
    before = len(text) - len(text.lstrip(edges))
    if text[before : before + 1].isdecimal() and text.startswith("-", before - 1) and before:
        before -= 1  # "-5" and "5" are different numbers
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
    """Split a word that must not stay whole. Return no parts if it cannot be split."""
    found = contraction(word)
    if found or not whole.are_all:
        return found
    return spoken(word) or _possessive(word, whole) or _compound(word, whole)


def _possessive(word: Piece, whole: WholeWords) -> list[Piece]:
    """Split "girl's" if the possessive is a known word. Return no parts if it is not."""
    end = len(word.text) - len(_OWNER)
    if end < 1 or not word.text.endswith(_OWNER) or _OWNER not in whole.words:
        return []
    owner = word.part(0, end)
    owners = [] if whole.is_one(owner) else _compound(owner, whole)
    return [*(owners or [owner]), word.part(end, end + len(_OWNER))]


def _compound(word: Piece, whole: WholeWords) -> list[Piece]:
    """Split "twenty-one", and "donne-moi" before its hyphen, if all parts are known."""
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
    """Return whether `split_words` would split a normalised word that is not kept whole."""
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
