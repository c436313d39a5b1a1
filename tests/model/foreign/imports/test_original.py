import pytest
import torch

from model.foreign.errors import FolderError
from model.foreign.imports.__main__ import main
from model.foreign.imports.load import open_folder
from model.foreign.imports.original import difference
from tests.model.foreign.hub.entries import write_entry
from tests.model.foreign.imports.encoders import SMALL_PAIR, opened, sharpened
from tests.model.foreign.imports.folders import edit_config, write_gpt2, write_llama


@pytest.mark.parametrize("write", [write_gpt2, write_llama])
def test_an_opened_folder_is_told_how_far_it_is_from_the_original(write, tmp_path, capsys):
    folder = write(tmp_path / "small")
    model = open_folder(folder).model
    assert difference(folder, model) < 1e-5
    with torch.no_grad():
        model.decoder.norm.weight.mul_(1.01)
    assert difference(folder, model) > 1e-3
    assert main([str(folder)]) == 0
    said = capsys.readouterr().out
    assert "parameters, " in said
    assert "largest difference from the original: " in said


def test_a_model_of_the_hugging_face_cache_is_tried_by_its_name(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    path = write_entry(tmp_path / "hub", "org/tiny", folder=write_gpt2(tmp_path / "small"))
    for named in ("org/tiny", str(path.parent.parent)):
        assert main([named]) == 0
    assert main(["org/other"]) == 1
    assert "has no model org/other" in capsys.readouterr().out


def test_a_formula_is_compared_as_far_as_transformers_has_a_table_of_it(tmp_path):
    model = opened(sharpened("MarianMTModel MarianConfig", **SMALL_PAIR, pad_token_id=5), tmp_path)
    assert difference(tmp_path, model) < 1e-5


def test_a_folder_that_is_recorded_instead_is_named_as_such(tmp_path, capsys):
    folder = write_gpt2(tmp_path / "small", scale_attn_by_inverse_layer_idx=True)
    assert main([str(folder)]) == 0
    said = capsys.readouterr().out
    assert "scale_attn_by_inverse_layer_idx" in said
    assert "Loupe can still open it: transformers runs it" in said


def test_what_is_refused_is_not_handed_on(tmp_path, capsys):
    folder = write_gpt2(tmp_path / "small")
    model = open_folder(folder).model
    edit_config(folder, _attn_implementation="evil/kernel")
    with pytest.raises(FolderError, match="evil/kernel"):
        difference(folder, model)
    assert main([str(folder)]) == 1
    assert "evil/kernel" in capsys.readouterr().out
