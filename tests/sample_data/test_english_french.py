"""Translations of the small grammar by hand; its held-out file holds the rest of it."""

from pathlib import Path

import pytest

from sample_data.gold import find_gold


def by_hand():
    path = Path(__file__).parent / "english_french_by_hand.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(("source", "target"), by_hand())
def test_translations_by_hand(source, target):
    pair = find_gold("english-french", source)
    assert (pair.source, pair.target) == (source, target)


@pytest.mark.parametrize(
    ("source", "links"),
    [
        # est-ce qu' il a traversé le lac ?
        ("did he cross the lake ?", "0-0 0-1 1-2 0-3 2-4 3-5 4-6 5-7"),
        # elle est tombée: without an auxiliary both words are from the verb
        ("she fell", "0-0 1-1 1-2"),
        ("some cold water", "0-0 0-1 2-2 1-3"),
    ],
)
def test_alignments_by_hand(source, links):
    expected = {tuple(map(int, link.split("-"))) for link in links.split()}
    assert find_gold("english-french", source).alignment == expected
