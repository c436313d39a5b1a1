"""Text to ids and back: whole words, single characters, or byte-pair encoding (section 5.1)."""

import difflib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from model.backend import Backend, Merges, join_byte_pairs
from model.json_fields import check_fields
from model.text import Piece, Span, WholeWords, check_length, join_words, normalise, printable
from model.vocabulary import (
    TokenizerKind,
    Vocabulary,
    id_space,
    learn_vocabulary,
    number,
    read_vocabulary,
    units,
)

PAD_ID, BOS_ID, EOS_ID, UNK_ID = 0, 1, 2, 3
SPECIAL_TOKENS = ("<pad>", "<s>", "</s>", "<unk>")
_FIRST_ID = len(SPECIAL_TOKENS)

_SPACE = "␣"
_MOST_SUGGESTIONS = 50
"""Unknown words of one text for which the nearest known ones are looked up."""
_MOST_COMPARED = 100_000
"""Pairs of an unknown and a known word that are compared for one text: where more words are known
than this allows for, fewer unknown ones are looked up."""
_LONGEST_COMPARED = 40
"""Characters of an unknown word that is looked up: comparing takes more than linear time."""


@dataclass(frozen=True)
class UnknownWord:
    """A stretch of text for which there is no token; in a BPE, one character."""

    text: str
    """As typed, but for lone surrogates."""
    start: int
    end: int
    nearest: tuple[str, ...]
    """Up to 3 known words, the most similar first; looked up for the first 50 unknown ones of at
    most 40 characters."""


@dataclass(frozen=True)
class Encoding:
    """A text as tokens; the four tuples have one entry a token."""

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    spans: tuple[Span | None, ...]
    """Place in the text as typed; None for a special token."""
    units: tuple[int | None, ...]
    """Number of the word, after punctuation is split off, or of the character; alignments count
    these. None for a special token."""
    unknown: tuple[UnknownWord, ...]
    """One for each `<unk>` among the tokens, in their order."""

    def between(self, before: tuple[int, ...], after: tuple[int, ...]) -> "Encoding":
        """Put special tokens around it."""
        return Encoding(
            ids=(*before, *self.ids, *after),
            tokens=(*_names(before), *self.tokens, *_names(after)),
            spans=(*(None for _ in before), *self.spans, *(None for _ in after)),
            units=(*(None for _ in before), *self.units, *(None for _ in after)),
            unknown=self.unknown,
        )


def _names(special_ids: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(SPECIAL_TOKENS[i] for i in special_ids)


class _Token(NamedTuple):
    text: str
    id: int
    span: Span
    unit: int


@dataclass(frozen=True, kw_only=True)
class Tokenizer:
    """One side's tokens and the way from text to them. `Tokenizers.train` builds it."""

    kind: TokenizerKind
    vocabulary: Mapping[str, int] = field(hash=False)
    """What this side knows, without the special tokens. A space is a plain space here."""
    all_tokens: tuple[str, ...] = field(repr=False)
    """Every token of the id space, id 0 first: more than `vocabulary` where the space is joint."""
    lower_case: bool
    """Whether text is lower-cased first."""
    merges: Merges = field(default=(), repr=False)
    """Of a BPE: the pairs to join, first learnt first."""
    whole_words: frozenset[str] = field(default=frozenset(), repr=False)
    """Of a BPE: words of the training text that are not split at their apostrophes."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "vocabulary", MappingProxyType(dict(self.vocabulary)))

    @property
    def vocab_size(self) -> int:
        """Size of the id space, which both sides share if it is joint."""
        return len(self.all_tokens)

    def encode(self, text: str) -> Encoding:
        """Split any text into tokens, with none added; what is not known becomes `<unk>`.

        Raises TextTooLongError, before anything else is done, on more than MAX_CHARACTERS.
        """
        check_length(text)
        found = list(self._find(normalise(text, lower_case=self.lower_case)))
        return Encoding(
            ids=tuple(token.id for token in found),
            tokens=tuple(self.token(token.id) for token in found),
            spans=tuple(token.span for token in found),
            units=tuple(token.unit for token in found),
            unknown=self._unknown(text, [token for token in found if token.id == UNK_ID]),
        )

    def decode(self, ids: Iterable[int]) -> str:
        """Write ids as text for people: "l'animal." for "l'", "animal", ".".

        Of the special tokens only `<unk>` is written: a word stands there.
        """
        kept = [t for i in ids if (t := self._raw(i)) and (i == UNK_ID or i >= len(SPECIAL_TOKENS))]
        if self.kind == "character":
            return "".join(kept)
        return join_words(join_byte_pairs(kept) if self.kind == "bpe" else kept)

    def tokens(self, ids: Iterable[int]) -> tuple[str, ...]:
        """Name ids as they are shown. Raises ValueError on one that is out of range."""
        return tuple(self.token(i) for i in ids)

    def token(self, id: int) -> str:
        """Name one id as it is shown: a space as "␣". Raises ValueError if it is out of range."""
        token = self._raw(id)
        return _SPACE if token == " " else token

    def _raw(self, id: int) -> str:
        if not 0 <= id < self.vocab_size:
            raise ValueError(f"an id must be from 0 to {self.vocab_size - 1}, got {id}")
        return self.all_tokens[id]

    @cached_property
    def _backend(self) -> Backend:
        merges = self.merges if self.kind == "bpe" else None
        return Backend(self.vocabulary, merges, unknown_id=UNK_ID)

    @cached_property
    def _whole(self) -> WholeWords:
        return WholeWords.of(self.whole_words if self.kind == "bpe" else self.vocabulary)

    def _find(self, text: Piece) -> Iterator[_Token]:
        words = units(text, self.kind, whole=self._whole)
        for found in self._backend.split([word.text for word in words]):
            word = words[found.word]
            part = word.part(found.start, found.end)
            start, _ = word.span
            yield _Token(
                part.text, found.id, part.span if part.text else (start, start), found.word
            )

    def _unknown(self, typed: str, tokens: list[_Token]) -> tuple[UnknownWord, ...]:
        most = min(_MOST_SUGGESTIONS, max(1, _MOST_COMPARED // max(1, len(self.vocabulary))))
        nearest: dict[str, tuple[str, ...]] = {}
        for token in tokens:
            if len(nearest) == most:
                break
            if len(token.text) <= _LONGEST_COMPARED and token.text not in nearest:
                nearest[token.text] = self._nearest(token.text)
        return tuple(
            UnknownWord(
                text=printable(typed[slice(*token.span)]),
                start=token.span[0],
                end=token.span[1],
                nearest=nearest.get(token.text, ()),
            )
            for token in tokens
        )

    def _nearest(self, text: str) -> tuple[str, ...]:
        if self.kind == "word":
            return tuple(difflib.get_close_matches(text, self.vocabulary, n=3))
        plain = unicodedata.normalize("NFKD", text)[:1]  # a letter without its accents
        related = dict.fromkeys((text.swapcase(), plain, plain.swapcase()))
        return tuple(character for character in related if character in self.vocabulary)


@dataclass(frozen=True)
class Tokenizers:
    """The tokenizers of a model's two sides."""

    source: Tokenizer
    target: Tokenizer
    shared: bool
    """Whether both sides take their ids from one space, as tied embeddings need."""

    @classmethod
    def train(
        cls,
        source_texts: Iterable[str],
        target_texts: Iterable[str],
        *,
        source_kind: TokenizerKind,
        target_kind: TokenizerKind,
        shared: bool,
        bpe_size: int = 400,
    ) -> "Tokenizers":
        """Learn the tokens of texts in which elisions are split as they are to be ("l' animal").

        Where ids are shared, the source still knows only the tokens of its own texts, the target
        those of both; two BPEs become one, learnt from all texts. `bpe_size` counts the special
        tokens, and is exceeded by texts that have more different characters.
        """
        sources, targets = list(source_texts), list(target_texts)
        if shared and source_kind == target_kind == "bpe":
            source = target = _learn(sources + targets, "bpe", bpe_size)
        else:
            source = _learn(sources, source_kind, bpe_size)
            target = _learn(targets, target_kind, bpe_size)
        source_ids, target_ids = _number(source), _number(target)
        if not shared:
            return cls(_build(source, source_ids), _build(target, target_ids), shared=False)
        joint = number(source.counts + target.counts, first=_FIRST_ID)
        own = {token: joint[token] for token in source_ids}
        return cls(_build(source, own, joint), _build(target, joint), shared=True)

    def encode_source(self, text: str) -> Encoding:
        """Encode what the encoder reads: the text, then `</s>`. Raises TextTooLongError."""
        return self.source.encode(text).between((), (EOS_ID,))

    def encode_target(self, text: str) -> Encoding:
        """Encode what the decoder learns to write: `<s>`, the text, `</s>`.

        Raises TextTooLongError.
        """
        return self.target.encode(text).between((BOS_ID,), (EOS_ID,))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "shared": self.shared,
            "source": _side_to_dict(self.source),
            "target": _side_to_dict(self.target),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Tokenizers":
        """Undo `to_dict`. Raises ValueError on anything that it cannot have written."""
        types = {"shared": bool, "source": dict, "target": dict}
        check_fields(values, types, where="the tokenizers")
        source = read_vocabulary(values["source"], "the source tokenizer")
        target = read_vocabulary(values["target"], "the target tokenizer")
        shared = values["shared"]
        source_space = id_space(*([source, target] if shared else [source]), first=_FIRST_ID)
        target_space = source_space if shared else id_space(target, first=_FIRST_ID)
        return cls(
            Tokenizer(**source, all_tokens=(*SPECIAL_TOKENS, *source_space)),
            Tokenizer(**target, all_tokens=(*SPECIAL_TOKENS, *target_space)),
            shared=shared,
        )


def _learn(texts: list[str], kind: TokenizerKind, bpe_size: int) -> Vocabulary:
    if bpe_size <= _FIRST_ID:
        raise ValueError(f"bpe_size must be above {_FIRST_ID}, got {bpe_size}")
    learnt = learn_vocabulary(texts, kind, bpe_size=bpe_size - _FIRST_ID)
    if kind != "bpe":
        for special in SPECIAL_TOKENS:  # where a text writes them out, they are unknown words
            del learnt.counts[special]
    return learnt


def _number(vocabulary: Vocabulary) -> dict[str, int]:
    return number(vocabulary.counts, first=_FIRST_ID)


def _build(
    learnt: Vocabulary, ids: Mapping[str, int], id_space: Mapping[str, int] | None = None
) -> Tokenizer:
    return Tokenizer(
        kind=learnt.kind,
        vocabulary=ids,
        all_tokens=(*SPECIAL_TOKENS, *(id_space or ids)),
        lower_case=learnt.lower_case,
        merges=learnt.merges,
        whole_words=learnt.whole_words,
    )


def _side_to_dict(tokenizer: Tokenizer) -> dict[str, Any]:
    return {
        "kind": tokenizer.kind,
        "lower_case": tokenizer.lower_case,
        "vocabulary": dict(tokenizer.vocabulary),
        "merges": [list(pair) for pair in tokenizer.merges],
        "whole_words": sorted(tokenizer.whole_words),
    }
