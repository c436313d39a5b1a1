"""The interface of tokenizers for all code that shows tokens: Loupe's own, or a third party's."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol, Self, runtime_checkable

from model.text.encoding import Encoding
from model.text.vocabulary import TokenizerKind


@dataclass(frozen=True, kw_only=True)
class Specials:
    """The ids of special tokens; None for a token that does not exist."""

    pad: int | None = None
    bos: int | None = None
    """The token that begins a written text."""
    eos: int | None = None
    """The token that ends a text."""
    unk: int | None = None
    mask: int | None = None
    """The token that hides a word to be guessed."""
    start: int | None = None
    """The token with which the decoder of an encoder-decoder begins."""
    around: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    """The ids before and after a text for an encoder."""
    lacking: frozenset[int] = frozenset()
    """The ids among these for which the model has no vector, which keeps it from reading texts."""
    before_prompt: tuple[int, ...] = ()
    """The ids before a prompt."""
    after_prompt: tuple[int, ...] = ()
    """The ids after a prompt."""
    stops: tuple[int, ...] | None = None
    """The ids that each end a model's text; None for the end of a text alone."""

    @property
    def ends(self) -> tuple[int, ...]:
        """The ids that each end a model's text."""
        if self.stops is not None:
            return self.stops
        return () if self.eos is None else (self.eos,)

    @property
    def all(self) -> frozenset[int]:
        """The ids of all special tokens for which the model has a vector."""
        named = (self.pad, self.bos, self.eos, self.unk, self.mask, self.start)
        extra = (*self.around[0], *self.around[1], *self.before_prompt, *self.after_prompt)
        extra += self.stops or ()
        return frozenset(i for i in (*named, *extra) if i is not None) - self.lacking


class PlainState:
    """A frozen record with read-only mappings, which can be pickled and copied.

    A pickle holds only its fields; a copy also has the values cached from them.
    """

    def __getstate__(self) -> dict[str, Any]:
        fields = {name: x for name, x in vars(self).items() if not name.startswith("_")}
        return {n: dict(x) if isinstance(x, MappingProxyType) else x for n, x in fields.items()}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        read_only = {n: MappingProxyType(x) for n, x in state.items() if isinstance(x, dict)}
        vars(self).update({**state, **read_only})

    def __copy__(self) -> Self:
        copied = object.__new__(type(self))
        vars(copied).update(vars(self))
        return copied


@runtime_checkable
class Words(Protocol):
    """One side's tokens, and the conversion between them and text."""

    @property
    def kind(self) -> TokenizerKind:
        """The kind of its tokens: whole words, characters, or parts of words."""
        ...

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """The ids by token, without special ones."""
        ...

    @property
    def all_tokens(self) -> tuple[str, ...]:
        """Every token, id 0 first."""
        ...

    @property
    def vocab_size(self) -> int:
        """The size of the id space."""
        ...

    @property
    def shown(self) -> Mapping[int, str]:
        """Names shown for ids instead of their tokens."""
        ...

    @property
    def specials(self) -> Specials:
        """The ids of special tokens."""
        ...

    def encode(self, text: str, *, typed: bool = True) -> Encoding:
        """Split a text into tokens, without special ones. Raises TextTooLongError."""
        ...

    def decode(self, ids: Iterable[int]) -> str:
        """Write ids as text for people, without special ones."""
        ...

    def tokens(self, ids: Iterable[int]) -> tuple[str, ...]:
        """Return the names shown for ids. Raises ValueError if one is out of range."""
        ...

    def token(self, id: int) -> str:
        """Return the name shown for one id. Raises ValueError if it is out of range."""
        ...

    def naming(self, shown: Mapping[int, str]) -> "Words":
        """Make an equal tokenizer that shows other words for some ids."""
        ...


def ids_by_token(tokens: Iterable[str], special: Collection[int]) -> Mapping[str, int]:
    """Return the ids by token, id 0 first, without special ones; of equal tokens the first id."""
    ids: dict[str, int] = {}
    for id, token in enumerate(tokens):
        if id not in special:
            ids.setdefault(token, id)
    return MappingProxyType(ids)


def single_id(words: Words, token: str) -> int:
    """Find the id of one token. Raises ValueError if there is none."""
    found = words.encode(token, typed=False)
    if len(found.ids) != 1 or found.unknown:
        pieces = ", ".join(map(repr, found.tokens))
        raise ValueError(f"a token must be in the vocabulary, got {token!r}: {pieces}")
    return found.ids[0]
