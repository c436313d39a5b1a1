"""A text as tokens, each with its place, and what of it is unknown or carried over."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from model.text.piece import Span
from model.text.stand_ins import CopiedWord
from model.text.unknown import UnknownWord

SPECIAL_TOKENS = ("<pad>", "<s>", "</s>", "<unk>")


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
    copied: tuple[CopiedWord, ...] = ()
    """The words that are carried over: `ids` has their stand-ins, `tokens` the words themselves."""

    def between(
        self, before: tuple[int, ...], after: tuple[int, ...], name: Callable[[int], str]
    ) -> "Encoding":
        """Put special tokens around it, with the names that are given for their ids."""
        return Encoding(
            ids=(*before, *self.ids, *after),
            tokens=(*map(name, before), *self.tokens, *map(name, after)),
            spans=(*(None for _ in before), *self.spans, *(None for _ in after)),
            units=(*(None for _ in before), *self.units, *(None for _ in after)),
            unknown=self.unknown,
            copied=tuple(replace(w, index=len(before) + w.index) for w in self.copied),
        )
