import itertools
import json
import shutil
from html import escape
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from safetensors.torch import load_file, save_file
from streamlit.testing.v1 import AppTest
from tokenizers import Tokenizer

from model.foreign import huggingface
from model.foreign.errors import FolderError
from tests.model.foreign.huggingface.families import write_family
from tests.model.foreign.imports.folders import (
    GPT2,
    byte_tokenizer,
    edit_config,
    edit_tokenizer,
    write_gpt2,
    write_llama,
)
from tests.pages import ok, open_app, open_page, texts
from tests.viz.subjects.attention.making import made_cell, off
from texts import say
from viz.address.address import bound
from viz.frame import expander
from viz.frame.source_texts import FIRST_TEXTS
from viz.heads.head_checks import check_head
from viz.models import opening, running
from viz.pages import PAGES
from viz.run.inputs import Inputs
from viz.script import lacks, model_with
from viz.work.visit import is_at_this_machine

SEES = "The fox sees the fox"

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("written")
    write_gpt2(root / "small-gpt")
    write_llama(root / "small-llama")
    return root


@pytest.fixture(autouse=True)
def models(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the folders, which a test may change."""
    monkeypatch.setenv("LOUPE_MODELS", str(tmp_path))
    return shutil.copytree(written, tmp_path, dirs_exist_ok=True)


@pytest.mark.parametrize("name", ["models/small-gpt", "models/small-llama"])
def test_a_model_of_others_goes_on_from_a_text(name):
    app = open_app(checkpoint=name)
    assert app.text_input(key="source").value == FIRST_TEXTS["writes"]
    assert name.removeprefix("models/") in texts(app)
    app = ok(app.text_input(key="source").set_value("The quick brown fox").run())
    assert "at most" in texts(app)


def test_it_is_chosen_in_the_sidebar_by_its_title():
    app = open_app()
    choices = app.selectbox(key="checkpoint").options
    assert choices[-3:-1] == ["small-gpt · GPT-2, 0.1 MB", "small-llama · Llama, 0.1 MB"]
    app = ok(app.selectbox(key="checkpoint").set_value("models/small-gpt").run())
    assert app.text_input(key="source").value == FIRST_TEXTS["writes"]
    own = app.selectbox(key="checkpoint").options[0]
    assert own not in choices[-3:]


def test_the_last_entry_says_how_a_model_of_ones_own_is_opened():
    app = open_app()
    before = app.selectbox(key="checkpoint").value
    app = ok(app.selectbox(key="checkpoint").set_value("own_model").run())
    assert app.selectbox(key="checkpoint").value == before
    assert app.code[0].value == "python3 start.py --models FOLDER"


def test_a_folder_of_this_machine_is_looked_into_for_whoever_is_at_it(models):
    def look():
        from viz.frame.own_models import show_own_models

        show_own_models(print)

    edit_config(models / "small-llama", auto_map={"AutoModel": "<b>evil</b>.Evil"})
    for told, is_here in ((True, True), (False, False)):
        with mock.patch("viz.frame.own_models.is_at_this_machine", return_value=is_here):
            app = ok(AppTest.from_function(look).run())
            fields = app.text_input
            assert bool(fields) is told
    with mock.patch("viz.frame.own_models.is_at_this_machine", return_value=True):
        app = ok(AppTest.from_function(look).run())
        found = texts(ok(app.text_input(key="own_path").set_value(str(models)).run()))
        assert "small-gpt · GPT-2, 0.1 MB" in found
        assert "small-llama · cannot be opened" in found
        assert "<b>evil" not in found
        for nowhere in ("/nowhere", "~nobody-of-this-name/models", "a\0b"):
            found = texts(ok(app.text_input(key="own_path").set_value(nowhere).run()))
            assert "This folder contains no model" in found


@pytest.mark.parametrize(
    ("address", "headers", "is_here", "allowed"),
    [
        ("127.0.0.1", {"host": "127.0.0.1:8501"}, True, []),
        ("localhost", {"host": "localhost:8501"}, True, ["localhost"]),
        ("127.0.0.1", {"host": "loupe.example"}, False, []),
        ("127.0.0.1", {"host": "localhost"}, False, ["localhost", "loupe.example"]),
        ("127.0.0.1", {"host": "localhost"}, False, ["*"]),
        ("127.0.0.1", {"host": "localhost", "x-forwarded-for": "192.0.2.7"}, False, []),
        ("0.0.0.0", {"host": "127.0.0.1:8501"}, False, []),
        ("", {"host": "localhost:8501"}, False, []),
    ],
)
def test_a_stranger_is_not_at_this_machine(address, headers, is_here, allowed):
    options = {"server.address": address, "server.allowedHosts": allowed}
    context = mock.Mock(headers=headers)
    with (
        mock.patch("viz.work.visit.st.context", context),
        mock.patch("viz.work.visit.st.get_option", options.get),
    ):
        assert is_at_this_machine() is is_here


def test_a_page_that_a_model_lacks_offers_one_that_has_it():
    def lacking():
        from viz.frame.messages import report_page_lacking

        report_page_lacking("Masks", "Why.", "everyday-paper")

    app = ok(AppTest.from_function(lacking).run())
    ok(app.button(key="open_instead").click().run())
    assert app.session_state["checkpoint"] == "everyday-paper"


def test_the_model_that_is_offered_has_the_page():
    gpt = opening.open_model("models/small-gpt", "cpu").anatomy
    for module in PAGES:
        if lacks(module, gpt):
            name = model_with(module)
            assert name
            assert not lacks(module, opening.open_model(name, "cpu").anatomy)


def test_one_that_is_refused_says_why_when_it_is_chosen(models):
    edit_config(models / "small-gpt", auto_map={"AutoModel": "<b>evil</b>.Evil"})
    app = open_app(checkpoint="models/small-gpt")
    assert say("frame.refused_model") in texts(app)
    assert "auto_map of config.json asks for Python code" in texts(app)


def test_a_token_that_only_the_tokenizer_has_is_named(models):
    rules = Tokenizer.from_str(byte_tokenizer().to_str())  # a copy: tests share that one
    while rules.get_vocab_size() <= GPT2["vocab_size"]:
        rules.add_special_tokens([f"[X{rules.get_vocab_size()}]"])
    (models / "small-gpt" / "tokenizer.json").write_text(rules.to_str())
    app = open_app(checkpoint="models/small-gpt")
    ok(app.text_input(key="source").set_value("The [X340] fox").run())
    assert "the token [X340] (id 340), and the model knows only the ids 0 to 339" in texts(app)
    ok(app.text_input(key="source").set_value("The quick brown fox").run())
    assert "[X340]" not in texts(app)


def test_a_text_that_the_tokenizer_fails_on_gets_a_message(models):
    def panic(values: dict) -> None:
        pattern = {"Regex": "(a+)+$"}
        values["pre_tokenizer"] = {
            "type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False,
        }  # fmt: skip

    edit_tokenizer(models / "small-gpt", panic)
    about = {"tokenizer_class": "PreTrainedTokenizerFast"}  # reads tokenizer.json as it is
    (models / "small-gpt" / "tokenizer_config.json").write_text(json.dumps(about))
    app = open_app(checkpoint="models/small-gpt")
    app = ok(app.text_input(key="source").set_value("a" * 40 + "b").run())
    assert "own tokenizer failed on this text" in texts(app)
    ok(app.text_input(key="source").set_value("The fox").run())


@pytest.fixture
def all_folds_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expander, "bound", lambda name, *_, **__: bound(name, usual=True))


def draw_every_page(name: str, text: str = SEES) -> set[str]:
    """Open each page that applies to a model, and return their names."""
    anatomy = opening.open_model(name, "cpu").anatomy
    offered = [module for module in PAGES if not lacks(module, anatomy)]
    for module in offered:
        folder = module.__name__.split(".")[-2]
        open_page(folder, checkpoint=name, source=text)
    return {module.URL for module in offered}


@pytest.mark.slow
@pytest.mark.usefixtures("all_folds_open")
@pytest.mark.parametrize(("name", "text"), [("BART", SEES), ("BERT", "T"), ("T5", SEES)])
def test_every_page_draws_a_model_whose_weights_are_poured(name, text, models):
    """BART's output ends at its last position; BERT may read a single token."""
    write_family(models / name, name)
    draw_every_page(f"models/{name}", text)


@pytest.fixture
def in_bfloat16(models: Path) -> None:
    file = models / "small-gpt" / "model.safetensors"
    save_file({name: x.bfloat16() for name, x in load_file(file).items()}, file)


@pytest.mark.slow
@pytest.mark.usefixtures("in_bfloat16", "all_folds_open")
def test_every_page_draws_a_model_that_computes_in_fewer_bits():
    page = open_app(checkpoint="models/small-gpt")
    assert "in bfloat16: about 3 significant digits" in texts(page)
    draw_every_page("models/small-gpt")


@pytest.mark.usefixtures("in_bfloat16")
def test_a_cell_in_fewer_bits_agrees_with_float64_within_these():
    view = running.open_view(Inputs("models/small-gpt", "The fox sees", "", "cpu"))
    site = "decoder self-attention"
    apart = []
    for layer, head in itertools.product(range(2), range(2)):
        cell = made_cell(view.run, view.model, site, layer, head, 1, 0)
        apart += cell["lines"].tolist()
        assert check_head(view.run, site, layer, head).float64_error < cell["tolerance"]
    assert 1e-4 < max(apart) < cell["tolerance"] < 0.04


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write folders of models without an importer: sinks, capped scores, no feed-forward."""
    root = tmp_path_factory.mktemp("recorded")
    for name in ("GPT-OSS", "Gemma 2", "ALBERT"):
        write_family(root / name.replace(" ", "").lower(), name)
    return root


@pytest.fixture
def recorded_models(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOUPE_MODELS", str(recorded))
    return recorded


@pytest.mark.slow
@pytest.mark.usefixtures("recorded_models", "all_folds_open")
@pytest.mark.parametrize("name", ["gpt-oss", "albert"])
def test_a_kind_without_an_importer_is_recorded_and_every_page_draws_or_says_why(name):
    assert escape(say("frame.recorded")) in texts(open_app(checkpoint=f"models/{name}"))
    drawn = draw_every_page(f"models/{name}")
    assert drawn >= {"attention", "map", "embeddings", "compare"}


@pytest.mark.usefixtures("recorded_models")
@pytest.mark.parametrize("name", ["gpt-oss", "gemma2", "albert"])
def test_what_is_recorded_of_a_cell_agrees_with_float64(name):
    run = running.open_view(Inputs(f"models/{name}", "The fox", "", "cpu")).run
    (site,) = run.anatomy.sites
    for layer in range(site.layers):
        checks = check_head(run, site.name, layer, 1)
        assert checks.float64_error < 1e-5
        cell = made_cell(run, None, site.name, layer, 1, 1, 0)
        assert np.isfinite(cell["lines"]).sum() == 8
        assert off(cell) == []


@pytest.mark.usefixtures("recorded_models")
def test_what_cannot_be_changed_is_said_and_the_run_stays():
    app = open_app(checkpoint="models/gpt-oss", edits="zero!decoder.layers.0.self_attn.heads;h0")
    assert escape(say("frame.recorded")) in texts(app)
    assert say("frame.changes_wrong") in texts(app)


def test_without_transformers_the_folder_says_what_to_install(recorded_models, monkeypatch):
    monkeypatch.setattr("model.foreign.huggingface.folder.has_transformers", lambda: False)
    with pytest.raises(
        FolderError, match=r"does not implement this kind of model .*gemma2.* pip install"
    ):
        huggingface.plan_recording(recorded_models / "gemma2")
