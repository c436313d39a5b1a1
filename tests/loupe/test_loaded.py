"""The description of an opened model, and the names that the package exports."""

import inspect
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import loupe
from model.checkpoints.checkpoint import Checkpoint
from model.foreign.huggingface import RecordedFolder
from tests.checkpoints import load_shipped
from tests.loupe.test_effects import save_gpt2
from tests.loupe.test_foreign import ids_of, sharp
from tests.model.foreign.huggingface.families import DECODERS, ENCODER_DECODERS, ENCODERS
from tests.model.foreign.imports.oracle import save
from viz.run.version import version

SENTENCE = "the small black cat sleeps ."


def test_a_model_says_in_three_lines_what_it_is() -> None:
    model = loupe.load("everyday-paper-0")
    first, second, third = repr(model).splitlines()
    assert first.startswith("everyday-paper-0 (Loupe's own): Everyday English to French")
    parameters = f"{model.model.n_parameters:,} parameters in float32 on cpu"
    assert second.startswith(
        "2 layers of an encoder and 2 layers of a decoder, 4 heads each, width"
    )
    assert parameters in second
    assert "model.trace" in third
    assert len(repr(model)) < 400


def test_methods_are_the_functions() -> None:
    model = loupe.load("everyday-paper-0")
    assert isinstance(model, Checkpoint)
    run = loupe.trace(model, SENTENCE)
    assert model.names() == run.names()
    assert model.names("*.cross_attn.weights") == run.names("*.cross_attn.weights")
    assert torch.equal(model.trace(SENTENCE)["logits"], run["logits"])
    assert model.generate(SENTENCE) == run.text
    pair = (SENTENCE, "the small black dog sleeps .")
    found = model.patch(*pair, "le", of="heads", target="le")
    assert torch.equal(
        found.values, loupe.patch(model, *pair, "le", of="heads", target="le").values
    )
    cut = model.ablate(SENTENCE, "le", target="le").values.nan_to_num()
    assert torch.equal(cut, loupe.ablate(model, SENTENCE, "le", target="le").values.nan_to_num())
    assert torch.equal(model.lens(run).logits, loupe.lens(model, run).logits)


@pytest.mark.parametrize("name", ["Qwen3", "BERT", "BART"])
def test_a_folder_says_what_it_is_and_names_what_it_captures(name: str, tmp_path: Path) -> None:
    build = (DECODERS | ENCODERS | ENCODER_DECODERS)[name]
    model = loupe.load(save(sharp(build).eval(), tmp_path))
    lines = repr(model).splitlines()
    assert len(lines) == 3
    whose = "recorded while transformers runs it" if name == "Qwen3" else "Loupe's own"
    assert lines[0].startswith(f"{tmp_path.name} ({whose})")
    assert isinstance(model, RecordedFolder) == (name == "Qwen3")
    options: Any = {"target": [3, 4]} if name == "BART" else {}
    assert model.names() == loupe.trace(model, [3, 4, 5], **options).names()


def test_a_model_of_loupe_is_pickled(tmp_path: Path) -> None:
    model = load_shipped("everyday-paper-0")
    again = pickle.loads(pickle.dumps(model))
    run, other = loupe.trace(model, SENTENCE), loupe.trace(again, SENTENCE)
    assert other.text == run.text
    assert torch.equal(other["logits"], run["logits"])
    with pytest.raises(TypeError):
        again.info.tokenizers.source.vocabulary["new"] = 1
    save_gpt2(tmp_path)
    poured = loupe.load(tmp_path)
    again = pickle.loads(pickle.dumps(poured))
    text = "When Mary"
    assert loupe.trace(again, text).tokens == loupe.trace(poured, text).tokens
    assert torch.equal(loupe.trace(again, text)["logits"], loupe.trace(poured, text)["logits"])


def test_a_recorded_folder_says_why_it_cannot_be_pickled(tmp_path: Path) -> None:
    model = loupe.load(save(sharp(DECODERS["Qwen3"]).eval(), tmp_path))
    with pytest.raises(TypeError, match="keep the path of its folder, and open it again"):
        pickle.dumps(model)


def test_models_are_listed_with_their_kind_and_place(tmp_path: Path) -> None:
    found = loupe.models()
    assert "everyday-paper-0" in found
    each = next(one for one in found if one.name == "digits-paper")
    assert each.kind
    run = loupe.trace(loupe.load(each.place), "3 1 4")
    assert run.model == "digits-paper"
    assert f"digits-paper          {each.kind}" in repr(found)
    assert str(each.place) in repr(found)
    frame = found.to_frame()
    assert list(frame.columns) == ["kind", "place"]
    assert frame.loc["digits-paper", "kind"] == each.kind
    assert len(found[:2]) == 2
    loupe.save(load_shipped("digits-paper"), None, tmp_path)
    save_gpt2(tmp_path / "mine")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{")
    listed = loupe.models(tmp_path)
    assert [(one.name, one.kind) for one in listed if one.name != "broken"] == [
        ("digits-paper", each.kind),
        ("mine", "gpt2"),
    ]
    assert "broken" in listed
    assert "cannot be read: config.json is not JSON" in repr(listed)
    assert repr(loupe.models(tmp_path / "mine")) == "no models"
    with pytest.raises(ValueError, match="is not a folder"):
        loupe.models(tmp_path / "nowhere")


def test_the_package_shows_its_names_alone() -> None:
    assert loupe.__version__ == version()
    shown = [name for name in dir(loupe) if not name.startswith("__")]
    assert shown == sorted(loupe.__all__)
    for name in loupe.__all__:
        assert getattr(loupe, name).__doc__


def test_help_names_no_inner_module() -> None:
    for name in ("trace", "generate", "patch", "ablate", "lens", "explore", "load", "save"):
        signature = str(inspect.signature(getattr(loupe, name)))
        assert "model.checkpoints" not in signature, name
        assert "_app" not in signature, name


def test_nothing_heavy_is_imported_before_it_is_asked_for() -> None:
    code = "import loupe, sys; dir(loupe); loupe.__version__; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_ids_are_enough_for_a_loaded_folder(tmp_path: Path) -> None:
    model = loupe.load(save(sharp(DECODERS["Qwen3"]).eval(), tmp_path))
    assert model.generate(ids_of("the cat"), max_new_tokens=2)
