from tests.shipped import PAPER, shipped
from viz.subjects.compare.pairing import pair_runs

TIRED = "the animal did not cross the street because it was too tired ."
OLD = "the old animal did not cross the street because it was too tired ."


def test_rows_of_the_decoder_are_paired_by_what_they_write():
    a, b = shipped(PAPER, TIRED)[0], shipped(PAPER, OLD)[0]
    pairing = pair_runs(a, b)
    rows, columns = pairing.axes("decoder self-attention", a, b)
    written = [(i + 1, j + 1) for i, j in rows if i is not None and j is not None]
    assert [(0, 0), *written] == [pair for pair in pairing.target if None not in pair]
    assert columns[0] == (0, 0)  # <s> is read but never written
    assert len([i for i, _ in rows if i is not None]) == len(a.target_tokens) - 1
    assert pairing.axes("cross-attention", a, b) == (rows, pairing.source)
