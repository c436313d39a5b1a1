"""Any tokenizer that a user has, as the pages of the app read texts by it."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from loupe.texts import read_text, token_namer
from model.foreign.imports.words import TokenizerError, check_ids, guarded
from model.text.encoding import Encoding
from model.text.normalised import check_length, printable
from model.text.piece import Span
from model.text.vocabulary import TokenizerKind
from model.text.words import Specials, ids_by_token

_SPACES = "␣↵⇥"
"""How white space is shown in the names of tokens."""


@dataclass(frozen=True, kw_only=True)
class GivenWords:
    """The tokens of a tokenizer of which nothing is known but what it makes of a text."""

    tokenizer: object = field(repr=False)
    vocab_size: int
    """Rows of the model's embedding."""
    specials: Specials
    shown: Mapping[int, str] = field(default_factory=dict, hash=False, repr=False)
    """What ids are named in place of their tokens."""

    @property
    def kind(self) -> TokenizerKind:
        """Nobody tells: parts of words, as most are."""
        return "bpe"

    def encode(self, text: str, *, typed: bool = True) -> Encoding:  # noqa: ARG002 - as own ones
        """Split any text into tokens, without those that it puts around every text.

        Raises TextTooLongError before anything else is done, TokenizerError where it fails, or
        gives an id that the model does not know.
        """
        check_length(text)
        before, after = self.specials.around
        read = printable(text)
        whole = guarded(lambda: read_text(self.tokenizer, read).ids[0].tolist())
        ids = tuple(whole[len(before) : len(whole) - len(after)])
        check_ids(ids, self.vocab_size)
        tokens = self.tokens(ids)
        spans = _places(read, tokens)
        starts = [0, *(i + 1 for i, letter in enumerate(read) if letter.isspace())]
        units = (None if span is None else bisect_right(starts, span[0]) - 1 for span in spans)
        return Encoding(ids=ids, tokens=tokens, spans=spans, units=tuple(units), unknown=())

    def decode(self, ids: Iterable[int]) -> str:
        """Write ids as text for people, without special tokens."""
        kept = [id for id in ids if id not in self.specials.all]
        own = getattr(self.tokenizer, "decode", None)
        if callable(own):
            try:
                return printable(str(guarded(lambda: own(kept))))
            except TokenizerError:  # what cannot be joined is still shown
                pass
        return " ".join(self.tokens(kept))

    def tokens(self, ids: Iterable[int]) -> tuple[str, ...]:
        """Name ids as they are shown. Raises ValueError on one that is out of range."""
        return tuple(self.token(id) for id in ids)

    def token(self, id: int) -> str:
        """Name one id as it is shown. Raises ValueError if it is out of range."""
        if not 0 <= id < self.vocab_size:
            raise ValueError(f"an id must be from 0 to {self.vocab_size - 1}, got {id}")
        return self.shown[id] if id in self.shown else self.all_tokens[id]

    @property
    def all_tokens(self) -> tuple[str, ...]:
        """Every token of the id space, id 0 first; its number where the tokenizer has no name."""
        return self._all_tokens

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """Tokens as they are shown, without the special ones; of two alike the first."""
        return self._vocabulary

    @cached_property
    def _all_tokens(self) -> tuple[str, ...]:
        return tuple(self._name(id) for id in range(self.vocab_size))

    @cached_property
    def _vocabulary(self) -> Mapping[str, int]:
        return ids_by_token(self.all_tokens, self.specials.all)

    def naming(self, shown: Mapping[int, str]) -> "GivenWords":
        """Make one that shows other words for some ids, and is the same in all else."""
        return replace(self, shown=MappingProxyType(dict(shown)))

    def _name(self, id: int) -> str:
        try:
            return guarded(lambda: self._named(id))
        except TokenizerError:  # a row of the model that its tokenizer does not know
            return f"⟨{id}⟩"

    @cached_property
    def _named(self) -> Callable[[int], str]:
        return token_namer(self.tokenizer)


def words_around(tokenizer: object, text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Find the ids that a tokenizer puts before and behind every text.

    They are those that stay where the words of a text change places; of a text of one word, none
    are found.
    """
    words = text.split()
    if len(words) < 2 or words[0] == words[-1]:
        return (), ()
    there, back = (
        read_text(tokenizer, " ".join(each)).ids[0].tolist() for each in (words, words[::-1])
    )
    before, after = _shared(there, back), _shared(there[::-1], back[::-1])
    return tuple(there[:before]), tuple(there[len(there) - after :])


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    """Count the ids with which both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _places(text: str, tokens: Iterable[str]) -> tuple[Span | None, ...]:
    """Look for each token in a text, from the end of the one before on."""
    places: list[Span | None] = []
    at = 0
    for token in tokens:
        letters = token.strip(_SPACES)
        start = text.find(letters, at) if letters else -1
        places.append(None if start < 0 else (start, start + len(letters)))
        at = at if start < 0 else start + len(letters)
    return tuple(places)
