from pathlib import Path

import pytest

from model.presets import PRESETS
from tests.checkpoints import write_checkpoints
from viz.frame import words
from viz.frame.titles import checkpoint_titles
from viz.run import session


def test_the_shipped_checkpoints_have_titles_for_people():
    names = session.checkpoint_names()
    titles = checkpoint_titles(names)
    assert list(titles) == names
    assert len(set(titles.values())) == len(names)
    assert titles["english-french-paper-0"] == "The paper, first seed · English to French"
    assert titles["english-french-paper-3"] == "The paper, second seed · English to French"
    headlist = "Write-up without a causal mask · English to French"
    assert titles["english-french-headlist"] == headlist
    assert titles["english-french-learned"] == "Learned positions · English to French"
    assert titles["digits-paper"] == "Digits: copy, reverse, sort"
    assert not [title for title in titles.values() if "-paper" in title or "headlist" in title]


def test_every_variant_is_called_by_what_it_does_differently():
    assert set(words.VARIANTS) == PRESETS.keys()
    assert PRESETS["headlist"]["causal_mask"] is False
    assert PRESETS["prenorm"]["norm_placement"] == "pre"
    assert PRESETS["temperature"]["attention_bias"] is False
    assert PRESETS["addnorm"]["positions"] == "double_sine"
    assert PRESETS["tied"]["encoder_padding_mask"] is False
    assert not PRESETS["paper"]


def test_kept_and_broken_checkpoints_are_told_from_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write_checkpoints(tmp_path)
    kept = tmp_path / "kept"
    kept.mkdir()
    for suffix in (".json", ".safetensors"):
        (kept / f"mine{suffix}").write_bytes((tmp_path / f"digits-paper{suffix}").read_bytes())
    (tmp_path / "english-french-headlist.json").write_text("{")
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(tmp_path))
    monkeypatch.setenv("LOUPE_KEPT", str(kept))
    assert checkpoint_titles(session.checkpoint_names()) == {
        "english-french-paper": "English to French",
        "english-french-headlist": "english-french-headlist",
        "digits-paper": "Digits: copy, reverse, sort",
        "mine": "Yours · Digits: copy, reverse, sort, paper",
    }
    same = checkpoint_titles(["mine", "mine-2"])
    assert same == {"mine": "Yours · Digits: copy, reverse, sort, paper", "mine-2": "mine-2"}


@pytest.mark.parametrize(
    ("seed", "alone", "title"),
    [
        (None, True, "Digits: copy, reverse, sort"),
        (None, False, "The paper · Digits: copy, reverse, sort"),
        (0, False, "The paper, first seed · Digits: copy, reverse, sort"),
        (7, False, "The paper, 8th seed · Digits: copy, reverse, sort"),
    ],
)
def test_a_title_says_no_more_than_it_has_to(seed, alone, title):
    assert words.checkpoint_title("digits", "the paper", seed=seed, alone=alone) == title


def test_a_kept_model_is_told_by_its_step():
    assert words.own_title("Digits", 2500) == "Yours · Digits, step 2,500"
    assert words.own_title("Digits", None) == "Yours · Digits"
