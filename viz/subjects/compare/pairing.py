"""Pairs the tokens of two runs, and so their rows and columns."""

from dataclasses import dataclass

from viz.address.selection import matrix_size
from viz.heads.text_alignment import Pairs, align_texts, shift_pairs
from viz.run.axes import AttentionKind, axis_texts
from viz.run.record import Run


@dataclass(frozen=True)
class Pairing:
    """The paired tokens of two runs, on both sides."""

    source: Pairs
    target: Pairs
    """The target from `<s>` on."""

    def axes(self, kind: AttentionKind, a: Run, b: Run) -> tuple[Pairs, Pairs]:
        """Pair the rows and the columns of a kind of attention.

        Rows of a decoder are paired by the tokens that they write; in a decoder-only model, by
        those that they read.
        """
        sizes = zip(matrix_size(a, kind), matrix_size(b, kind), strict=True)
        named = a.anatomy.site(kind).rows
        rows, columns = (
            shift_pairs(self.source if text == "source" else self.target, first, size)
            for (text, first), size in zip(axis_texts(kind, named), sizes, strict=True)
        )
        return rows, columns


def pair_runs(a: Run, b: Run) -> Pairing:
    """Pair the words that two runs share, and those between them in order."""
    source = align_texts(a.texts["source"], b.texts["source"])
    return Pairing(source, align_texts(a.target_tokens, b.target_tokens))
