"""Each block of the quickstart prints the output shown below it."""

from pathlib import Path
from typing import Any

import pytest

from tests.browsing import ROOT
from tests.guides import blocks_of, differences, run_block

GUIDE = ROOT / "docs" / "quickstart.md"
BLOCKS = blocks_of(GUIDE.read_text("utf-8"))


def test_each_block_shows_output() -> None:
    assert len(BLOCKS) > 9
    assert [block.code for block in BLOCKS if not block.shown] == []


def test_each_block_prints_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the last one saves a run
    names: dict[str, Any] = {}
    for block in BLOCKS:
        said = run_block(block.code, names, GUIDE)
        assert differences(said, block.shown or "") == []


def test_the_sentences_between_state_what_the_blocks_compute() -> None:
    """The same functions compute the values that the text quotes."""
    import loupe

    model = loupe.load("everyday-paper-0")
    text = "the animal did not cross the street because it was too tired ."
    so_far = "l'animal n'a pas traversé la rue parce qu'"
    wide = text.replace("tired", "wide")
    heads = loupe.patch(model, text, wide, ("il", "elle"), target=so_far, of="heads")
    assert f"from −{-heads.before:.2f} (*elle*) to {heads.goal:.2f} (*il*)" in GUIDE.read_text(
        "utf-8"
    )
