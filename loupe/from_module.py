"""Copies a user's module built around torch's transformer, so that the app can show it."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from torch import Tensor, nn

from loupe.asked import on_device
from loupe.texts import read_text, token_namer
from model.checkpoints.checkpoint import Checkpoint
from model.checkpoints.metadata import CheckpointInfo
from model.foreign.imports.torch_module import pour_torch
from model.foreign.imports.words import NamedWords, TokenizerError, guarded
from model.text.encoding import Encoding
from model.text.normalised import check_length, printable
from model.text.piece import Span
from model.text.tokenizer import Tokenizers
from model.text.vocabulary import TokenizerKind
from model.text.words import Specials

_SPACES = "␣↵⇥"
"""How white space is shown in the names of tokens."""


def poured(
    module: nn.Module, tokenizer: object, text: str | None, target: str | None
) -> Checkpoint:
    """Copy a module that contains torch's transformer, and check the copy on a text.

    Raises TypeError if there is no text, or if the tokenizer is of an unknown kind; ValueError if
    the module cannot be followed, or if its copy returns other numbers.
    """
    if text is None:
        raise TypeError(
            "Loupe runs a module once on a text, to check its copy of the module: "
            'loupe.explore(module, tokenizer, "a text"), and target="a text" if it has a decoder'
        )
    texts = [_ids(module, tokenizer, text)]
    if target is not None:
        texts.append(_ids(module, tokenizer, target, as_target=True))
    pad_id = getattr(tokenizer, "pad_token_id", None)
    model = pour_torch(module, *texts, pad_id=pad_id if type(pad_id) is int else 0)
    config, around = model.config, words_around(tokenizer, text)
    before, after = around
    if config.has_encoder and config.has_decoder and not before:
        raise ValueError(
            "Loupe does not know the token with which this module begins to write: the tokenizer "
            "must put one before every text, such as <s>"
        )
    specials = Specials(
        pad=config.pad_id,
        bos=before[-1] if before else None,
        eos=after[0] if after else None,
        start=before[0] if config.has_encoder and before else None,
        around=around,
        before_prompt=before,
    )
    sides = [
        GivenWords(tokenizer=tokenizer, vocab_size=size, specials=specials)
        for size in (
            config.source_vocab_size or config.target_vocab_size,
            config.target_vocab_size or config.source_vocab_size,
        )
    ]
    both = Tokenizers(*sides, shared=sides[0].vocab_size == sides[1].vocab_size)
    return Checkpoint(CheckpointInfo.of_others(type(module).__name__, config, both), model)


def _ids(module: nn.Module, tokenizer: object, text: str, *, as_target: bool = False) -> Tensor:
    return on_device(module, read_text(tokenizer, text, as_target=as_target)).ids


@dataclass(frozen=True, kw_only=True)
class GivenWords(NamedWords):
    """The tokens of a tokenizer of which only the function from text to ids is known."""

    tokenizer: object = field(repr=False)

    @property
    def kind(self) -> TokenizerKind:
        """Unknown, so parts of words, as in most tokenizers."""
        return "bpe"

    def encode(self, text: str, *, typed: bool = True) -> Encoding:  # noqa: ARG002 - as own ones
        """Split any text into tokens, without the special tokens around every text.

        Raises TextTooLongError before it calls the tokenizer, and TokenizerError if that fails or
        returns an id that the model does not have.
        """
        check_length(text)
        before, after = self.specials.around
        read = printable(text)
        whole = guarded(lambda: read_text(self.tokenizer, read).ids[0].tolist())
        ids = tuple(whole[len(before) : len(whole) - len(after)])
        self.check(ids)
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
            except TokenizerError:  # tokens that cannot be joined are still shown
                pass
        return " ".join(self.tokens(kept))

    def knows(self, id: int) -> bool:
        """Return whether the tokenizer has a name for this id."""
        return id >= 0 and self.name(id) != f"⟨{id}⟩"

    def name(self, id: int) -> str:
        """Name one id by its token, or by its number if the tokenizer has no name for it."""
        try:
            return guarded(lambda: self._named(id))
        except TokenizerError:  # an id of the model that its tokenizer lacks
            return f"⟨{id}⟩"

    @cached_property
    def _named(self) -> Callable[[int], str]:
        return token_namer(self.tokenizer)


def words_around(tokenizer: object, text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Find the ids that a tokenizer puts before and after every text.

    These ids keep their places when the words of the text are reversed. A text of one word shows
    none.
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
    """Count the ids that both have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _places(text: str, tokens: Iterable[str]) -> tuple[Span | None, ...]:
    """Find each token in a text, starting at the end of the token before."""
    places: list[Span | None] = []
    at = 0
    for token in tokens:
        letters = token.strip(_SPACES)
        start = text.find(letters, at) if letters else -1
        places.append(None if start < 0 else (start, start + len(letters)))
        at = at if start < 0 else start + len(letters)
    return tuple(places)
