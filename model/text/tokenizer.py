"""Text to ids and back: whole words, single characters, or byte-pair encoding (section 5.1)."""

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, NamedTuple

from model.files.json_fields import check_fields
from model.text.backend import Backend, Merges, join_byte_pairs
from model.text.encoding import Encoding
from model.text.normalised import WholeWords, check_length, join_words, normalise
from model.text.piece import SPECIAL_TOKENS, Piece, Span
from model.text.stand_ins import Carried, Carrier, CopiedWord, StandIns, Word
from model.text.unknown import Stretch, UnknownWord, describe_unknown
from model.text.vocabulary import (
    TokenizerKind,
    Vocabulary,
    id_space,
    learn_vocabulary,
    number,
    read_vocabulary,
    units,
    write_ids,
)
from model.text.words import PlainState, Specials, Words

PAD_ID, BOS_ID, EOS_ID, UNK_ID = 0, 1, 2, 3
MASK_TOKEN = "<mask>"
"""The mask token of a model that guesses words, an ordinary token of its vocabulary."""
_SPECIALS = Specials(
    pad=PAD_ID,
    bos=BOS_ID,
    eos=EOS_ID,
    unk=UNK_ID,
    start=BOS_ID,
    around=((), (EOS_ID,)),
    before_prompt=(BOS_ID,),
)
_FIRST_ID = len(SPECIAL_TOKENS)

_SPACE = "␣"


class _Token(NamedTuple):
    text: str
    id: int
    span: Span
    unit: int


@dataclass(frozen=True, kw_only=True)
class Tokenizer(PlainState):
    """One side's tokens, and the rules from text to tokens. `Tokenizers.train` builds it."""

    kind: TokenizerKind
    vocabulary: Mapping[str, int] = field(hash=False)
    """This side's tokens, without special ones. A space is a plain space here."""
    all_tokens: tuple[str, ...] = field(repr=False)
    """Every token of the id space, id 0 first; more than `vocabulary` if the space is joint."""
    lower_case: bool
    """Whether text is lower-cased before it is split."""
    merges: Merges = field(default=(), repr=False)
    """The merges of a BPE, in the order of learning."""
    whole_words: frozenset[str] = field(default=frozenset(), repr=False)
    """For a BPE, the words of the training text that are not split at apostrophes."""
    shown: Mapping[int, str] = field(default_factory=dict, hash=False, repr=False)
    """Names shown for ids instead of their tokens: the copied words of stand-ins."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "vocabulary", MappingProxyType(dict(self.vocabulary)))

    @property
    def vocab_size(self) -> int:
        """The size of the id space, which both sides share if it is joint."""
        return len(self.all_tokens)

    @property
    def specials(self) -> Specials:
        """The ids of special tokens."""
        return replace(_SPECIALS, mask=self.vocabulary.get(MASK_TOKEN))

    def encode(self, text: str, *, typed: bool = True, carrier: Carrier | None = None) -> Encoding:
        """Split any text into tokens, without special ones; unknown words become `<unk>`.

        Raises TextTooLongError at once if there are more than MAX_CHARACTERS. A `typed` text may
        have signs and contractions that the task's texts lack, and a carrier may copy its unknown
        words.
        """
        check_length(text)
        found = list(self._find(normalise(text, lower_case=self.lower_case), typed=typed))
        copied: tuple[CopiedWord, ...] = ()
        if carrier:
            words = [Word(t.text, text[slice(*t.span)], t.id != UNK_ID) for t in found]
            read, copied = carrier.carry(words)
            found = [
                token._replace(id=self.vocabulary.get(read[i], UNK_ID)) if i in read else token
                for i, token in enumerate(found)
            ]
        names = {word.index: word.text for word in copied}
        return Encoding(
            ids=tuple(token.id for token in found),
            tokens=tuple(names.get(i) or self.token(token.id) for i, token in enumerate(found)),
            spans=tuple(token.span for token in found),
            units=tuple(token.unit for token in found),
            unknown=self._unknown(text, found, carrier),
            copied=copied,
        )

    def naming(self, shown: Mapping[int, str]) -> "Tokenizer":
        """Make an equal tokenizer that shows other words for some ids."""
        named = copy.copy(self)
        made = {
            "_backend": self._backend,
            "_whole": self._whole,
        }  # once for all tokenizers with other names
        vars(named).update(made, shown=MappingProxyType(dict(shown)))
        return named

    def decode(self, ids: Iterable[int]) -> str:
        """Write ids as text for people: "l'animal." for "l'", "animal", ".".

        The only special token written is `<unk>`, as it represents a word.
        """
        kept = [t for i in ids if (t := self._raw(i)) and (i == UNK_ID or i >= len(SPECIAL_TOKENS))]
        if self.kind == "character":
            return "".join(kept)
        return join_words(join_byte_pairs(kept) if self.kind == "bpe" else kept)

    def tokens(self, ids: Iterable[int]) -> tuple[str, ...]:
        """Return the names shown for ids. Raises ValueError if one is out of range."""
        return tuple(self.token(i) for i in ids)

    def token(self, id: int) -> str:
        """Return the name shown for one id, "␣" for a space. Raises ValueError if out of range."""
        token = self._raw(id)
        return _SPACE if token == " " else token

    def _raw(self, id: int) -> str:
        if not 0 <= id < self.vocab_size:
            raise ValueError(f"an id must be from 0 to {self.vocab_size - 1}, got {id}")
        return self.shown.get(id) or self.all_tokens[id]

    @cached_property
    def _backend(self) -> Backend:
        merges = self.merges if self.kind == "bpe" else None
        return Backend(self.vocabulary, merges, unknown_id=UNK_ID)

    @cached_property
    def _whole(self) -> WholeWords:
        if self.kind == "bpe":
            return WholeWords.of(self.whole_words)
        return WholeWords.of(self.vocabulary, are_all=True)

    def _find(self, text: Piece, *, typed: bool) -> Iterator[_Token]:
        whole = self._whole if typed else replace(self._whole, are_all=False)
        words = units(text, self.kind, whole=whole)
        for found in self._backend.split([word.text for word in words]):
            word = words[found.word]
            part = word.part(found.start, found.end)
            start, _ = word.span
            yield _Token(
                part.text, found.id, part.span if part.text else (start, start), found.word
            )

    def _unknown(
        self, typed: str, found: list[_Token], carrier: Carrier | None
    ) -> tuple[UnknownWord, ...]:
        unknown = [Stretch(token.text, token.span) for token in found if token.id == UNK_ID]
        if not unknown:
            return ()
        hidden = carrier.reserved if carrier else ()
        return describe_unknown(
            typed,
            unknown,
            [token for token in self.vocabulary if token not in hidden],
            whole_words=self.kind == "word",
        )


@dataclass(frozen=True)
class Tokenizers:
    """The tokenizers of a model's two sides; for a model of one text, the same one twice."""

    source: Words
    target: Words
    shared: bool
    """Whether both sides share one id space, as tied embeddings require."""
    stand_ins: StandIns | None = None
    """The stand-ins that copy unknown words of a source, if the model has learned to copy."""

    def __post_init__(self) -> None:
        if self.stand_ins:
            if not self.source.kind == self.target.kind == "word":
                raise ValueError("stand-ins need tokenizers of whole words")
            self.stand_ins.check(self.source.vocabulary, self.target.vocabulary)

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
        stand_ins: StandIns | None = None,
    ) -> "Tokenizers":
        """Learn the tokens of texts whose elisions are already split ("l' animal").

        If ids are shared, the source still has only the tokens of its own texts, and the target
        has those of both; two BPEs become one, learned from all texts. `bpe_size` includes special
        tokens; the result is larger if the texts have more distinct characters.
        """
        learn = partial(learn_vocabulary, bpe_size=bpe_size, special=SPECIAL_TOKENS)
        sources, targets = list(source_texts), list(target_texts)
        if shared and source_kind == target_kind == "bpe":
            source = target = learn(sources + targets, "bpe")
        else:
            source, target = learn(sources, source_kind), learn(targets, target_kind)
        source_ids, target_ids = _number(source), _number(target)
        if not shared:
            sides = _build(source, source_ids), _build(target, target_ids)
            return cls(*sides, shared=False, stand_ins=stand_ins)
        joint = number(source.counts + target.counts, first=_FIRST_ID)
        own = {token: joint[token] for token in source_ids}
        sides = _build(source, own, joint), _build(target, joint)
        return cls(*sides, shared=True, stand_ins=stand_ins)

    def encode_source(self, text: str, *, typed: bool = True) -> Encoding:
        """Encode the encoder's input: the text, then `</s>`. Raises TextTooLongError.

        Unknown words of a typed text are copied if there are stand-ins; a text written by a task
        contains the stand-ins itself.
        """
        before, after = self.source.specials.around
        if self.stand_ins and typed:
            found = own(self.source).encode(text, carrier=self.stand_ins.carrier())
        else:
            found = self.source.encode(text, typed=typed)
        return found.between(before, after, self.source.token)

    def encode_prompt(self, text: str, *, typed: bool = True) -> Encoding:
        """Encode the prompt of a decoder-only model. Raises TextTooLongError."""
        found = self.target.encode(text, typed=typed)
        known = self.target.specials
        return found.between(known.before_prompt, known.after_prompt, self.target.token)

    def encode_target(
        self, text: str, *, typed: bool = True, source: Encoding | None = None
    ) -> Encoding:
        """Encode the target that the decoder learns to write: `<s>`, the text, `</s>`.

        Words copied in `source` become the same stand-ins. Raises TextTooLongError.
        """
        carried = self._carried(source) if source else {}
        if self.stand_ins and typed:
            found = own(self.target).encode(text, carrier=self.stand_ins.repeater(carried))
        else:
            found = self.target.encode(text, typed=typed)
        known = self.target.specials
        start, end = ((i,) if i is not None else () for i in (known.start, known.eos))
        before, _ = known.around
        start = before if before[:1] == start else (*start, *before)  # as in BART: </s> <s>
        return found.between(start, end, self.target.token)

    def naming(self, source: Encoding) -> "Tokenizers":
        """Make tokenizers whose target shows the words copied from this source."""
        if not source.copied:
            return self
        ids = self.target.vocabulary
        shown = {
            ids[self.source.all_tokens[source.ids[word.index]]]: word.text
            for word in reversed(source.copied)  # the first of two equal words
        }
        named = copy.copy(self)  # the stand-ins were checked before
        vars(named).update(target=self.target.naming(shown))
        return named

    def as_written(self, source: Encoding, typed: str) -> str:
        """Write a typed source in its task's spelling, with the words that the tokenizer read.

        For example, "doesn't" becomes "does not", a copied word becomes its stand-in, and an
        unknown word becomes `<unk>`.
        """
        if self.source.kind == "character":
            return typed
        units = zip(source.ids, source.units, strict=True)
        tokens = [self.source.all_tokens[i] for i, unit in units if unit is not None]
        return " ".join(join_byte_pairs(tokens) if self.source.kind == "bpe" else tokens)

    def _carried(self, source: Encoding) -> dict[str, Carried]:
        lower_case = self.stand_ins is not None and own(self.target).lower_case
        return {
            normalise(word.text, lower_case=lower_case).text: Carried(
                self.source.all_tokens[source.ids[word.index]], word.kind
            )
            for word in source.copied
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values. Raises TypeError for a third-party model's tokenizers."""
        joint = self.target.vocabulary if self.shared else None
        values = {
            "shared": self.shared,
            "source": _side_to_dict(own(self.source), joint),
            "target": _side_to_dict(own(self.target)),
        }
        return values | ({"stand_ins": self.stand_ins.to_dict()} if self.stand_ins else {})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Tokenizers":
        """Undo `to_dict`. Raises ValueError if `to_dict` cannot have written this."""
        types = {"shared": bool, "source": dict, "target": dict}
        if "stand_ins" in values:
            types["stand_ins"] = dict
        check_fields(values, types, where="the tokenizers")
        shared = values["shared"]
        read = partial(read_vocabulary, first=_FIRST_ID)
        target = read(values["target"], "the target tokenizer")
        joint = target["vocabulary"] if shared else None
        source = read(values["source"], "the source tokenizer", joint=joint)
        source_space = id_space(*([source, target] if shared else [source]), first=_FIRST_ID)
        target_space = source_space if shared else id_space(target, first=_FIRST_ID)
        return cls(
            Tokenizer(**source, all_tokens=(*SPECIAL_TOKENS, *source_space)),
            Tokenizer(**target, all_tokens=(*SPECIAL_TOKENS, *target_space)),
            shared=shared,
            stand_ins=StandIns.from_dict(values["stand_ins"]) if "stand_ins" in values else None,
        )


def own(words: Words) -> Tokenizer:
    """Return one of Loupe's tokenizers. Raises TypeError for a third-party model's tokenizer."""
    if not isinstance(words, Tokenizer):
        raise TypeError(f"this needs one of Loupe's own tokenizers, got {type(words).__name__}")
    return words


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


def _side_to_dict(tokenizer: Tokenizer, joint: Mapping[str, int] | None = None) -> dict[str, Any]:
    return {
        "kind": tokenizer.kind,
        "lower_case": tokenizer.lower_case,
        "vocabulary": write_ids(tokenizer.vocabulary, first=_FIRST_ID, joint=joint),
        "merges": [list(pair) for pair in tokenizer.merges],
        "whole_words": sorted(tokenizer.whole_words),
    }
