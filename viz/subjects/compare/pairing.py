"""Which tokens of two runs are compared with each other, and so which rows and columns."""

from dataclasses import dataclass

from viz.address.selection import matrix_size
from viz.heads.text_alignment import Pairs, align_texts, shift_pairs
from viz.run.axes import AttentionKind, axis_texts
from viz.run.record import Run


@dataclass(frozen=True)
class Pairing:
    """The tokens of two runs in pairs, on either side."""

    source: Pairs
    target: Pairs
    """From `<s>` on."""

    def axes(self, kind: AttentionKind, a: Run, b: Run) -> tuple[Pairs, Pairs]:
        """Pair the rows and the columns of a kind of attention.

        Rows of the decoder are paired by what they write; those of a decoder alone by what they
        read.
        """
        sizes = zip(matrix_size(a, kind), matrix_size(b, kind), strict=True)
        named = a.anatomy.site(kind).rows
        rows, columns = (
            shift_pairs(self.source if text == "source" else self.target, first, size)
            for (text, first), size in zip(axis_texts(kind, named), sizes, strict=True)
        )
        return rows, columns


def pair_runs(a: Run, b: Run) -> Pairing:
    """Pair the words that two runs share, and in between one word after the other."""
    source = align_texts(a.texts["source"], b.texts["source"])
    return Pairing(source, align_texts(a.target_tokens, b.target_tokens))
