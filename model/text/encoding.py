"""A text as tokens with their places, its unknown words, and its copied words."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from model.text.piece import Span
from model.text.unknown import UnknownWord

if TYPE_CHECKING:
    from model.text.stand_ins import CopiedWord


@dataclass(frozen=True)
class Encoding:
    """A text as tokens; the four tuples have one entry for each token."""

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    spans: tuple[Span | None, ...]
    """The token's place in the typed text; None for a special token."""
    units: tuple[int | None, ...]
    """The number of the token's word, with punctuation split off, or of its character, as
    alignments count them; None for a special token."""
    unknown: tuple[UnknownWord, ...]
    """The unknown words, one for each `<unk>` among the tokens, in order."""
    copied: "tuple[CopiedWord, ...]" = ()
    """The copied words: `ids` has their stand-ins, `tokens` the words themselves."""

    def between(
        self, before: tuple[int, ...], after: tuple[int, ...], name: Callable[[int], str]
    ) -> "Encoding":
        """Add special tokens around the text, with the given names for their ids."""
        return Encoding(
            ids=(*before, *self.ids, *after),
            tokens=(*map(name, before), *self.tokens, *map(name, after)),
            spans=(*(None for _ in before), *self.spans, *(None for _ in after)),
            units=(*(None for _ in before), *self.units, *(None for _ in after)),
            unknown=self.unknown,
            copied=tuple(replace(w, index=len(before) + w.index) for w in self.copied),
        )
