"""Which models the worker beside the page runs, and what pages say of those that it cannot run."""

import json
from pathlib import Path
from unittest.mock import Mock

import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint
from model.foreign.imports.load import open_folder
from model.writing import WritingRules
from tests.checkpoints import DEFAULT
from tests.model.foreign.imports.folders import write_gpt2, write_llama
from tests.pages import open_app, texts
from tests.viz.web.test_weights import get
from viz.models import beside_page
from viz.models.beside_page import model_beside, running_model, why_at_enter
from viz.models.browser_inputs import model_of
from viz.models.guest_models import hold, let_go
from viz.models.running import open_view
from viz.run.inputs import Inputs
from viz.run.view import View

TEXT = "The fox"
BY_ENTER = "This model answers when you press Enter, because "


def view_of(name: str, text: str = TEXT) -> View:
    return open_view(Inputs(name, text, "", "cpu"))


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    paths = [write_gpt2(tmp_path / "tiny-gpt2"), write_llama(tmp_path / "tiny-llama")]
    monkeypatch.setenv("LOUPE_MODELS", ":".join(map(str, paths)))
    return tmp_path


@pytest.mark.usefixtures("folders")
def test_a_third_party_model_is_offered_with_what_its_folder_says():
    view = view_of("models/tiny-gpt2")
    assert model_of(view) is None
    offered = running_model(view)
    assert offered
    assert offered.get("tokenizers", "").endswith("foreign_reader.js")
    about = json.loads(get(f"{offered['address']}.json")[2])
    assert about["config"] == view.run.info.config.to_dict()
    assert about["tokenizers"]["sides"][0]["kind"] == view.run.info.tokenizers.target.kind
    assert sum(part["bytes"] for part in about["parts"]) > 2 * view.model.n_parameters
    assert running_model(view) == offered
    assert running_model(view_of("models/tiny-gpt2", "The dog")) == offered
    assert running_model(view_of("models/tiny-llama")) != offered


def test_so_is_one_that_a_process_holds(tmp_path: Path):
    opened = open_folder(write_gpt2(tmp_path / "tiny-gpt2"))
    name = hold(opened)
    try:
        offered = running_model(view_of(name))
        assert offered
        about = json.loads(get(f"{offered['address']}.json")[2])
        assert about["config"] == opened.info.config.to_dict()
    finally:
        let_go(name)


def test_a_model_of_our_own_that_the_page_does_not_run_has_its_own_tokenizers(
    one_text_checkpoints: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(one_text_checkpoints))
    view = view_of("tiny-gpt", DEFAULT)
    offered = running_model(view)
    assert offered
    assert "tokenizers" not in offered
    about = json.loads(get(f"{offered['address']}.json")[2])
    assert about["tokenizers"] == view.run.info.tokenizers.to_dict()


@pytest.mark.usefixtures("tiny_checkpoints")
def test_a_small_translator_is_on_the_page_and_not_beside_it():
    view = view_of("everyday-paper", DEFAULT)
    assert model_beside(view) is None
    assert running_model(view) == model_of(view) != None  # noqa: E711 - it is offered


@pytest.mark.usefixtures("folders")
def test_a_page_says_why_a_model_waits_for_enter(monkeypatch: pytest.MonkeyPatch):
    assert BY_ENTER not in texts(open_app(checkpoint="models/tiny-gpt2", source=TEXT))
    monkeypatch.setattr(beside_page, "MOST_BYTES", 20_000)
    view = view_of("models/tiny-gpt2")
    assert running_model(view) is None
    size = sum(parameter.numel() for parameter in view.model.parameters()) * 2 / 1e6
    assert f"{size:.0f} MB" in (why_at_enter(view) or "")
    said = texts(open_app(checkpoint="models/tiny-gpt2", source=TEXT))
    assert f"{BY_ENTER}it would take" in said


@pytest.mark.usefixtures("folders")
def test_so_it_says_of_rules_that_only_transformers_follows():
    view = view_of("models/tiny-gpt2")
    rules = view.model.rules
    try:
        view.model.rules = WritingRules(more=Mock())
        assert running_model(view) is None
        assert why_at_enter(view) == (
            f"{BY_ENTER}only Transformers knows the rules by which it writes."
        )
    finally:
        view.model.rules = rules


@pytest.mark.usefixtures("folders")
def test_weights_that_are_no_numbers_of_the_browser_are_told_once_it_asks(folders: Path):
    path = folders / "tiny-llama"
    write_llama(path)
    view = view_of("models/tiny-llama")
    assert isinstance(view.opened, Checkpoint)
    weight = next(view.model.parameters())
    kept = weight.detach().clone()
    try:
        with torch.no_grad():
            weight.view(-1)[0] = 1e6
        offered = running_model(view)
        assert offered
        assert json.loads(get(f"{offered['address']}.json")[2]) == {"fault": "numbers"}
    finally:
        with torch.no_grad():
            weight.copy_(kept)
