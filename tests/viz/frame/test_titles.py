from pathlib import Path

import pytest

from tests.checkpoints import write_checkpoints
from tests.model.foreign.imports.folders import edit_config, write_gpt2
from viz.frame.source_texts import FIRST_TEXTS, default_source
from viz.frame.titles import checkpoint_titles
from viz.models import listing, opening, own_checkpoints

SEEN = 24
"""Number of letters of a title that a narrow list shows."""


def test_the_shipped_checkpoints_have_titles_for_people():
    names = own_checkpoints.checkpoint_names()
    titles = checkpoint_titles(names)
    assert list(titles) == names
    assert len(set(titles.values())) == len(names)
    assert titles["everyday-paper-0"] == "The paper · Everyday English to French"
    assert len({title[:SEEN] for title in titles.values()}) == len(names)
    assert titles["digits-paper"] == "Digits: copy, reverse, sort"
    assert not [title for title in titles.values() if "-paper" in title or "headlist" in title]


def test_kept_and_broken_checkpoints_are_told_from_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write_checkpoints(tmp_path)
    kept = tmp_path / "kept"
    kept.mkdir()
    for suffix in (".json", ".safetensors"):
        (kept / f"mine{suffix}").write_bytes((tmp_path / f"digits-paper{suffix}").read_bytes())
    (tmp_path / "everyday-headlist.json").write_text("{")
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(tmp_path))
    monkeypatch.setenv("LOUPE_KEPT", str(kept))
    assert checkpoint_titles(own_checkpoints.checkpoint_names()) == {
        "everyday-paper": "Everyday English to French",
        "everyday-headlist": "everyday-headlist",
        "digits-paper": "Digits: copy, reverse, sort",
        "mine": "Yours · Digits: copy, reverse, sort, paper",
    }
    same = checkpoint_titles(["mine", "mine-2"])
    assert same == {"mine": "Yours · Digits: copy, reverse, sort, paper", "mine-2": "mine-2"}


def test_models_of_others_have_their_family_and_size_and_refused_ones_are_listed(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("LOUPE_MODELS", str(tmp_path))
    write_gpt2(tmp_path / "small-gpt")
    edit_config(write_gpt2(tmp_path / "bad"), model_type="evil")
    names = [name for name in listing.listed_names() if name.startswith("models/")]
    assert checkpoint_titles(names) == {
        "models/bad": "bad · cannot be opened",
        "models/small-gpt": "small-gpt · GPT-2, 0.1 MB",
    }
    first = default_source(opening.read_info("models/small-gpt"))
    assert first == FIRST_TEXTS["writes"]
