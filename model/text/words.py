"""What a tokenizer is to all that shows tokens: our own, or one that came with a model."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol, Self, runtime_checkable

from model.text.encoding import Encoding
from model.text.vocabulary import TokenizerKind


@dataclass(frozen=True, kw_only=True)
class Specials:
    """The ids that are no words; None for one that there is not."""

    pad: int | None = None
    bos: int | None = None
    """Beginning of a text that is written."""
    eos: int | None = None
    """End of a text."""
    unk: int | None = None
    mask: int | None = None
    """Stands for a word to be guessed."""
    start: int | None = None
    """With which a decoder that reads an encoder begins."""
    around: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    """Ids put before and behind a text that an encoder reads."""
    lacking: frozenset[int] = frozenset()
    """Those of them for which the model has no vector, so that it can read no such text."""
    before_prompt: tuple[int, ...] = ()
    """Ids put before a text that a decoder goes on from."""
    after_prompt: tuple[int, ...] = ()
    """Ids put behind it."""
    stops: tuple[int, ...] | None = None
    """Ids that each end the text of a model; None: the end of a text alone."""

    @property
    def ends(self) -> tuple[int, ...]:
        """Ids that each end the text of a model."""
        if self.stops is not None:
            return self.stops
        return () if self.eos is None else (self.eos,)

    @property
    def all(self) -> frozenset[int]:
        """All of them that the model knows."""
        named = (self.pad, self.bos, self.eos, self.unk, self.mask, self.start)
        extra = (*self.around[0], *self.around[1], *self.before_prompt, *self.after_prompt)
        extra += self.stops or ()
        return frozenset(i for i in (*named, *extra) if i is not None) - self.lacking


class PlainState:
    """A frozen record with read-only mappings, which can be pickled and copied.

    A pickle holds its fields alone, a copy also the values cached from them.
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
    """One side's tokens, and the way from text to them and back."""

    @property
    def kind(self) -> TokenizerKind:
        """What its tokens are: whole words, characters, or parts of words."""
        ...

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """Ids by token, without the special ones."""
        ...

    @property
    def all_tokens(self) -> tuple[str, ...]:
        """Every token, id 0 first."""
        ...

    @property
    def vocab_size(self) -> int:
        """Size of the id space."""
        ...

    @property
    def shown(self) -> Mapping[int, str]:
        """What ids are named in place of their tokens."""
        ...

    @property
    def specials(self) -> Specials:
        """The ids that are no words."""
        ...

    def encode(self, text: str, *, typed: bool = True) -> Encoding:
        """Split a text into tokens, with none added. Raises TextTooLongError."""
        ...

    def decode(self, ids: Iterable[int]) -> str:
        """Write ids as text for people, without special ones."""
        ...

    def tokens(self, ids: Iterable[int]) -> tuple[str, ...]:
        """Name ids as they are shown. Raises ValueError on one that is out of range."""
        ...

    def token(self, id: int) -> str:
        """Name one id as it is shown. Raises ValueError if it is out of range."""
        ...

    def naming(self, shown: Mapping[int, str]) -> "Words":
        """Make one that shows other words for some ids, and is the same in all else."""
        ...


def ids_by_token(tokens: Iterable[str], special: Collection[int]) -> Mapping[str, int]:
    """Return the ids of tokens, id 0 first, without the special ones; of two alike the first."""
    ids: dict[str, int] = {}
    for id, token in enumerate(tokens):
        if id not in special:
            ids.setdefault(token, id)
    return MappingProxyType(ids)


def single_id(words: Words, token: str) -> int:
    """Find the id of one token. Raises ValueError where there is none."""
    found = words.encode(token, typed=False)
    if len(found.ids) != 1 or found.unknown:
        pieces = ", ".join(map(repr, found.tokens))
        raise ValueError(f"a token must be one of the vocabulary, got {token!r}: {pieces}")
    return found.ids[0]
