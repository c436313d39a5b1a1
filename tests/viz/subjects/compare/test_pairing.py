import pytest

from tests.shipped import PAPER, shipped
from viz.run.alignment import gold_links
from viz.subjects.compare.pairing import pair_runs, read_by_hand, write_by_hand

TIRED = "the animal did not cross the street because it was too tired ."
OLD = "the old animal did not cross the street because it was too tired ."


def test_rows_of_the_decoder_are_paired_by_what_they_write():
    a, b = shipped(PAPER, TIRED)[0], shipped(PAPER, OLD)[0]
    pairing = pair_runs(a, b, "tokens", (None, None))
    rows, columns = pairing.axes("decoder self-attention", a, b)
    written = [(i + 1, j + 1) for i, j in rows if i is not None and j is not None]
    assert [(0, 0), *written] == [pair for pair in pairing.target if None not in pair]
    assert columns[0] == (0, 0)  # <s> is read, and never written
    assert len([i for i, _ in rows if i is not None]) == len(a.target_tokens) - 1
    assert pairing.axes("cross-attention", a, b) == (rows, pairing.source)


def test_gold_pairs_targets_by_their_sources():
    a = shipped(PAPER, "the black cat sees the house .")[0]
    b = shipped(PAPER, "the small cat sees the house .")[0]
    assert a.text == "le chat noir voit la maison."
    assert b.text == "le petit chat voit la maison."
    gold = gold_links(a), gold_links(b)
    words = {
        (a.target_tokens[i], b.target_tokens[j])
        for i, j in pair_runs(a, b, "gold", gold).target
        if i is not None and j is not None
    }
    assert {("noir", "petit"), ("chat", "chat")} <= words
    assert pair_runs(a, b, "gold", (None, gold[1])) == pair_runs(a, b, "tokens", gold)


def test_what_is_paired_by_hand_comes_after_all_others():
    a = shipped(PAPER, TIRED)[0]
    pairing = pair_runs(a, a, "tokens", (None, None), (("source", 0, 5), ("target", 3, 3)))
    assert (0, 5) in pairing.source
    assert (3, None) in pairing.target


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3-4.t5-5", (("source", 3, 4), ("target", 5, 5))),
        ("", ()),
        ("x1-2.s1.s-1-2.s٣-1.s1-99999", ()),
        ("s1-2." * 5000, (("source", 1, 2),) * 40),
    ],
)
def test_a_link_says_what_was_paired(text: str, expected):
    assert read_by_hand(text) == expected
    assert read_by_hand(write_by_hand(expected)) == expected
