from html import escape
from pathlib import Path

import numpy as np
import pytest
import torch

from model.foreign import huggingface
from model.foreign.imports.folder import FolderError
from tests.model.foreign.huggingface.families import FAMILIES
from tests.model.foreign.imports.folders import (
    byte_tokenizer,
    edit_config,
    edit_tokenizer,
    write_gpt2,
    write_llama,
)
from tests.pages import ok, open_app, open_page, texts
from texts import say
from viz.frame import words
from viz.pages import PAGES
from viz.run import session
from viz.run.head_checks import check_head
from viz.run.view import Inputs
from viz.script import lacks
from viz.subjects.attention.cell.explain import explain_cell

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOUPE_MODELS", str(tmp_path))
    write_gpt2(tmp_path / "small-gpt")
    write_llama(tmp_path / "small-llama")
    return tmp_path


@pytest.mark.parametrize("name", ["models/small-gpt", "models/small-llama"])
def test_a_model_of_others_goes_on_from_a_text(name):
    app = open_app(checkpoint=name)
    assert app.text_input(key="source").value == words.FIRST_TEXTS["writes"]
    assert name.removeprefix("models/") in texts(app)
    app = ok(app.text_input(key="source").set_value("The quick brown fox").run())
    assert "at most" in texts(app)


def test_it_is_chosen_in_the_sidebar_by_its_title():
    app = open_app()
    choices = app.selectbox(key="checkpoint").options
    assert choices[-2:] == ["small-gpt · GPT-2, 0.1 MB", "small-llama · Llama, 0.1 MB"]
    app = ok(app.selectbox(key="checkpoint").set_value("models/small-gpt").run())
    assert app.text_input(key="source").value == words.FIRST_TEXTS["writes"]
    own = app.selectbox(key="checkpoint").options[0]
    assert own not in choices[-2:]


def test_one_that_is_refused_says_why_when_it_is_chosen(models):
    edit_config(models / "small-gpt", auto_map={"AutoModel": "<b>evil</b>.Evil"})
    app = open_app(checkpoint="models/small-gpt")
    assert say("frame.refused_model") in texts(app)
    assert "auto_map of config.json asks for Python code" in texts(app)


def test_a_text_that_the_tokenizer_fails_on_gets_a_message(models):
    def panic(values: dict) -> None:
        pattern = {"Regex": "(a+)+$"}
        values["pre_tokenizer"] = {
            "type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False,
        }  # fmt: skip

    edit_tokenizer(models / "small-gpt", panic)
    app = open_app(checkpoint="models/small-gpt")
    app = ok(app.text_input(key="source").set_value("a" * 40 + "b").run())
    assert "own tokenizer failed on it" in texts(app)
    ok(app.text_input(key="source").set_value("The fox").run())


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make folders of kinds that we have no importer of: sinks, capped scores, no feed-forward."""
    root = tmp_path_factory.mktemp("recorded")
    for name in ("GPT-OSS", "Gemma 2", "ALBERT"):
        torch.manual_seed(0)
        model = FAMILIES[name]().eval()
        model.resize_token_embeddings(byte_tokenizer().get_vocab_size())
        folder = root / name.replace(" ", "").lower()
        model.save_pretrained(folder)
        (folder / "tokenizer.json").write_text(byte_tokenizer().to_str())
    return root


@pytest.fixture
def recorded_models(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOUPE_MODELS", str(recorded))
    return recorded


@pytest.mark.slow
@pytest.mark.usefixtures("recorded_models")
@pytest.mark.parametrize("name", ["gpt-oss", "albert"])
def test_a_kind_without_an_importer_is_recorded_and_every_page_draws_or_says_why(name):
    assert escape(say("frame.recorded")) in texts(open_app(checkpoint=f"models/{name}"))
    anatomy = session.open_model(f"models/{name}", "cpu").anatomy
    offered = [module for module in PAGES if not lacks(module, anatomy)]
    assert {module.URL for module in offered} >= {"attention", "map", "embeddings", "compare"}
    for module in offered:
        folder = module.__name__.split(".")[-2]
        open_page(folder, checkpoint=f"models/{name}", source="The fox sees the fox")


@pytest.mark.usefixtures("recorded_models")
@pytest.mark.parametrize("name", ["gpt-oss", "gemma2", "albert"])
def test_what_is_recorded_of_a_cell_agrees_with_float64(name):
    run = session.open_view(Inputs(f"models/{name}", "The fox", "", "cpu")).run
    (site,) = run.anatomy.sites
    for layer in range(site.layers):
        checks = check_head(run, site.name, layer, 1)
        assert checks.float64_error < 1e-5
        cell = explain_cell(run, None, site.name, layer, 1, 1, 0)
        known = [line for line in cell.lines if not np.isnan(line.relative)]
        assert len(known) == 8
        assert [line.name for line in known if not line.agrees] == []


@pytest.mark.usefixtures("recorded_models")
def test_what_cannot_be_changed_is_said_and_the_run_stays():
    app = open_app(checkpoint="models/gpt-oss", edits="zero!decoder.layers.0.self_attn.heads;h0")
    assert escape(say("frame.recorded")) in texts(app)
    assert say("frame.changes_wrong") in texts(app)


def test_without_transformers_the_folder_says_what_to_install(recorded_models, monkeypatch):
    monkeypatch.setattr("model.foreign.huggingface.folder.has_transformers", lambda: False)
    with pytest.raises(
        FolderError, match=r"no model of its own of this kind .*gemma2.* pip install"
    ):
        huggingface.plan_recording(recorded_models / "gemma2")
