"""Models are opened by name or folder, and saved into a folder."""

import shutil
from pathlib import Path

import pytest
import torch
from torch import nn

import loupe
from loupe.command import main
from loupe.loading import cached
from model.checkpoints.errors import CheckpointError
from tests.loupe.test_foreign import TEXT, ids_of, rules, sharp
from tests.model.foreign.hub.entries import write_entry
from tests.model.foreign.hub.stand_in import COMMIT
from tests.model.foreign.huggingface.families import DECODERS
from tests.model.foreign.imports.folders import write_gpt2


def test_a_checkpoint_is_opened_by_name_path_and_folder(tmp_path: Path) -> None:
    shipped = loupe.load("digits-paper")
    saved = loupe.save(shipped, None, tmp_path / "mine")
    texts = [
        loupe.trace(loupe.load(where), "3 1 4").text
        for where in (saved, str(saved), saved / "digits-paper", saved / "digits-paper.json")
    ]
    assert set(texts) == {loupe.trace(shipped, "3 1 4").text}


def test_a_name_has_to_be_there_and_a_folder_to_hold_one(tmp_path: Path) -> None:
    with pytest.raises(
        CheckpointError, match="the nearest of Loupe's checkpoints are everyday-paper-"
    ):
        loupe.load("everyday-paper")
    with pytest.raises(CheckpointError, match="must hold one checkpoint, got none"):
        loupe.load(tmp_path)


def test_what_transformers_saved_opens_as_ours(tmp_path: Path) -> None:
    model = sharp(DECODERS["Llama"])
    folder = loupe.save(model, rules(), tmp_path / "llama")
    ours, theirs = loupe.trace(loupe.load(folder), TEXT), loupe.trace(model, rules(), TEXT)
    assert ours.tokens == theirs.tokens
    assert (ours.origin, theirs.origin) == ("own", "transformers")
    for each in theirs.names("*.weights"):
        assert torch.allclose(ours[each], theirs[each], atol=1e-5)


def test_what_cannot_be_opened_again_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="its code is not saved with its weights"):
        loupe.save(nn.Linear(1, 1), ids_of, tmp_path / "mine")
    with pytest.raises(TypeError, match="a tokenizer of transformers or of tokenizers"):
        loupe.save(sharp(DECODERS["GPT-2"]), ids_of, tmp_path / "mine")
    assert not (tmp_path / "mine").exists()


def _ended(*_: object, **__: object) -> None:
    raise SystemExit


@pytest.mark.parametrize("holds", ["ours", "theirs"])
def test_the_app_lists_what_was_saved(
    holds: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if holds == "ours":
        loupe.save(loupe.load("digits-paper"), None, tmp_path)
    else:
        loupe.save(sharp(DECODERS["GPT-2"]), rules(), tmp_path / "mine")
    for name in ("LOUPE_MODELS", "LOUPE_KEPT"):  # restored after the command has set them
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)  # restored as well
    for become in ("os.execve", "subprocess.run"):
        monkeypatch.setattr(become, _ended)
    with pytest.raises(SystemExit):
        main(["app", str(tmp_path), "--server.port", "1"])
    from viz.models.listing import listed_names

    assert ("digits-paper" if holds == "ours" else "models/mine") in listed_names()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a Hugging Face cache with one model at two commits."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    folder = write_gpt2(tmp_path / "plain")
    write_entry(tmp_path / "hub", "org/tiny", folder=folder)
    other = write_gpt2(tmp_path / "other", layer_norm_epsilon=0.1)
    write_entry(tmp_path / "hub", "org/tiny", folder=other, commit="f" * 40, refs=("v1",))
    return tmp_path / "hub"


def test_a_model_of_the_cache_is_opened_by_its_name_and_says_its_commit(cache: Path) -> None:
    model = loupe.load("org/tiny")
    assert (model.info.name, model.info.commit) == ("org/tiny", COMMIT)
    entry = cache / "models--org--tiny"
    run = loupe.trace(model, "The fox")
    for named in (
        "org/tiny",
        "https://huggingface.co/org/tiny",
        entry,
        str(entry / "snapshots" / COMMIT),
    ):
        again = loupe.trace(named, "The fox")
        assert again.headline.startswith(f"org/tiny (commit {COMMIT[:7]}): ")
        assert torch.equal(again["logits"], run["logits"])
    assert [each.name for each in cached()] == ["org/tiny"]


def test_a_revision_is_another_commit(cache: Path) -> None:
    for model in (
        loupe.load("org/tiny", revision="v1"),
        loupe.load("org/tiny@v1"),
        loupe.load(cache / "models--org--tiny", revision="fffffff"),
    ):
        assert model.info.commit == "f" * 40
        assert model.info.config.norm_eps == 0.1
    with pytest.raises(CheckpointError, match="does not have the revision v2 of org/tiny; it has"):
        loupe.load("org/tiny", revision="v2")


@pytest.mark.usefixtures("cache")
def test_an_unknown_name_says_both_ways() -> None:
    with pytest.raises(CheckpointError) as raised:
        loupe.load("gpt2-")
    for said in ("the nearest of", "is named org/name"):
        assert said in str(raised.value)
    with pytest.raises(CheckpointError) as raised:
        loupe.trace("tiny", "The fox")
    for said in ("the nearest of", "cache (", "it has org/tiny", "loupe fetch tiny"):
        assert said in str(raised.value)


def test_a_folder_here_is_opened_before_a_model_of_the_cache(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(tmp_path / "plain", tmp_path / "org" / "tiny")
    assert loupe.load("org/tiny").info.commit == ""
    assert loupe.load("org/tiny", revision="main").info.commit == COMMIT
    assert cache.is_dir()
