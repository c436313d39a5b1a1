"""Scores of a checkpoint from sums that are given here."""

import pytest

from viz.corpus.atlas import Sum
from viz.corpus.scores import score
from viz.corpus.tables import HeadName

HEADS = (HeadName("cross-attention", 0, 1), HeadName("cross-attention", 1, 0))
SUMS = {
    ("right", None): [Sum("", "", 0, 10, 9.0, 0.0), Sum("", "", 1, 4, 1.0, 0.0)],
    ("loss", None): [Sum("", "", 0, 10, 5.0, 3.0), Sum("", "", 1, 4, 8.0, 20.0)],
    ("metric", HEADS[0]): [Sum("gold", "", 0, 10, 9.0, 8.5), Sum("gold", "", 1, 4, 1.0, 0.5)],
    ("metric", HEADS[1]): [Sum("gold", "", 0, 10, 1.0, 0.5), Sum("gold", "", 1, 4, 3.0, 2.5)],
}
"""Sums over ten sentences that training may have seen, and four held-out ones."""


class Sums:
    """An atlas that holds only these sums."""

    heads = HEADS

    def of(self, name: str, head: HeadName | None = None) -> list[Sum]:
        return SUMS[name, head]


@pytest.mark.parametrize(
    ("held_out", "right", "loss", "aligned", "best"),
    [(True, 1 / 4, 8 / 4, 3 / 4, (1, 0)), (False, 10 / 14, 13 / 14, 10 / 14, (0, 1))],
)
def test_held_out_sentences_are_scored_apart_from_all(held_out, right, loss, aligned, best):
    found = score(Sums(), held_out=held_out)  # type: ignore[arg-type]
    assert found is not None
    assert found.right.value == pytest.approx(right)
    assert found.loss.value == pytest.approx(loss)
    assert found.aligned is not None
    assert (found.aligned.value, found.best) == (pytest.approx(aligned), best)
