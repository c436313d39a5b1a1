import os
from pathlib import Path

import pytest

from model.checkpoints.errors import CheckpointError
from model.foreign.errors import FolderError
from model.foreign.imports.plan import Plan
from tests.model.foreign.hub.entries import write_entry
from tests.model.foreign.hub.stand_in import COMMIT
from tests.model.foreign.imports.folders import edit_config, write_gpt2, write_llama
from viz.models import listing, opening, own_checkpoints, planning, stamps
from viz.models.folders import model_folders, models_folders, written_at


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOUPE_MODELS", str(tmp_path / "models"))
    write_gpt2(tmp_path / "models" / "small-gpt")
    write_llama(tmp_path / "models" / "small-llama")
    return tmp_path / "models"


def test_nothing_is_listed_unless_a_folder_is_named(monkeypatch):
    monkeypatch.delenv("LOUPE_MODELS", raising=False)
    assert models_folders() == []
    assert model_folders() == {}
    monkeypatch.setenv("LOUPE_MODELS", "/nowhere/at/all")
    assert model_folders() == {}


def test_a_hugging_face_cache_is_listed_by_the_names_of_its_models(models, tmp_path, monkeypatch):
    root, other = tmp_path / "hub", "f" * 40
    one = write_entry(root, "org/one", folder=models / "small-gpt")
    late = write_entry(root, "org/one", folder=models / "small-gpt", commit=other, refs=())
    two = write_entry(root, "two", folder=models / "small-llama")
    listed = {"models/org/one": one, "models/two": two}
    monkeypatch.setenv("LOUPE_MODELS", str(root))
    assert model_folders() == listed
    assert opening.read_info("models/org/one").called == f"org/one (commit {COMMIT[:7]})"
    monkeypatch.setenv("LOUPE_MODELS", os.pathsep.join(map(str, (two, models))))
    assert [*model_folders()] == ["models/two", "models/small-gpt", "models/small-llama"]
    monkeypatch.setenv("LOUPE_MODELS", str(one.parent))
    assert model_folders() == {"models/org/one": one, "models/org/one@fffffff": late}


@pytest.mark.usefixtures("models", "tiny_checkpoints")
def test_folders_stand_behind_the_checkpoints():
    own = own_checkpoints.checkpoint_names()
    assert own
    assert listing.listed_names() == [*own, "models/small-gpt", "models/small-llama"]


def test_the_folder_may_be_one_itself(models, monkeypatch):
    monkeypatch.setenv("LOUPE_MODELS", str(models / "small-gpt"))
    assert model_folders() == {"models/small-gpt": models / "small-gpt"}


def test_names_that_look_alike_are_told_apart(models):
    for number in range(3):
        write_gpt2(models / ("x" * 70 + str(number)))
    found = [name for name in model_folders() if "xxx" in name]
    assert len(set(found)) == 3
    assert found[1:] == [f"{found[0]}-2", f"{found[0]}-3"]


def test_a_model_is_loaded_once_until_its_files_change(models):
    name = "models/small-gpt"
    first = opening.load_checkpoint(name, "cpu")
    assert opening.load_checkpoint(name, "cpu") is first
    assert opening.read_info(name).config == first.info.config
    before = stamps.stamp(name)
    edit_config(models / "small-gpt", layer_norm_epsilon=1e-3)
    assert written_at(models / "small-gpt") >= before.written
    assert opening.load_checkpoint(name, "cpu").model.config.norm_eps == 1e-3


def test_what_it_would_take_is_known_and_why_not(models):
    planned = planning.planned("models/small-gpt")
    assert isinstance(planned, Plan)
    assert planned.family.title == "GPT-2"
    edit_config(models / "small-gpt", auto_map={"AutoModel": "evil.Evil"})
    assert "auto_map of config.json asks for Python code" in planning.planned("models/small-gpt")
    with pytest.raises(FolderError, match="auto_map"):
        opening.read_info("models/small-gpt")


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize(
    "name", ["models/nowhere", "models/../small-gpt", "models//etc", "models/"]
)
def test_no_link_leads_anywhere_else(name):
    with pytest.raises(CheckpointError):
        opening.read_info(name)
    with pytest.raises(CheckpointError):
        opening.load_checkpoint(name, "cpu")
