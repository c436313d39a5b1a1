"""Tests that test_plugins.py runs in a process with one page and faulty plug-ins only."""

from pathlib import Path

import pytest

import loupe
from loupe.plugins import Intervention, edits_of, installed, preview
from model.foreign.errors import FolderError
from model.foreign.imports.load import plan_folder
from tests.model.foreign.imports.folders import write_gpt2
from tests.pages import ok, open_app, texts
from viz.pages import PAGES, PLACES

FAULTS = {
    "acme-broken": "ImportError: no such thing, in faulty_import.py, line 2",
    "acme-missing": "ModuleNotFoundError: No module named 'nowhere_at_all'",
    "acme-leaves": "SystemExit: 3",
    "acme-number": "it must be a module, got 7",
    "acme-nowhere": "PLACE must be one of start, learn, look, change, write, measure, got 'cellar'",
    "acme-other-url": "URL must be 'acme-other-url', got 'attention'",
    "attention": "its name must consist of small letters, digits and at least one hyphen",
    "Acme;r1": "its name must consist of small letters, digits and at least one hyphen",
    "zero": "its name must consist of small letters, digits and at least one hyphen",
    "acme-no-class": "it must be a class that extends Intervention",
    "acme-zero": "ValueError: the kind 'zero' is already defined in model.interventions.kinds",
    "acme-edits": "it defines edits; a plug-in may define acts_on, amounts, change",
    "acme-unsaid": "says must be a dict with a text for",
    "acme-spoken": "says['en'] must be a text that contains no values but place",
    "acme-pattern": "acts_on must be a regular expression",
    "acme-late": "RuntimeError: too late, in faulty_late.py",
    "gpt2": "Loupe reads models of this type itself, as GPT-2",
    "acme-no-family": "it must be a Family, got 'none'",
    "acme-types": "its model_types do not contain 'acme-types'",
}


def test_each_is_left_out_with_its_package_and_the_reason(capsys: pytest.CaptureFixture) -> None:
    left_out = {each.name: each for each in installed() if each.is_left_out}
    for name, why in FAULTS.items():
        assert left_out[name].fault.startswith(why), name
        assert "faulty 1.0" in left_out[name].sentence
    [second] = [each for each in installed() if each.name == "acme-twice" and each.is_left_out]
    assert second.package == "faulty-twice"
    assert second.fault == "the package faulty offers one of the same name"
    installed()
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("loupe:")]
    assert len(said) == len(set(said))


def test_no_kind_of_a_faulty_class_is_known() -> None:
    with pytest.raises(ValueError, match="offers the kind of change “acme-late”, which Loupe"):
        Intervention("acme-late", "logits")


def test_the_pages_of_loupe_are_all_there_and_one_of_the_faulty_ones_stops_in_its_place() -> None:
    assert [page.URL for page in PAGES if "-" in page.URL] == ["acme-stops", "acme-twice"]
    app = open_app(source="1 2 3", checkpoint="digits-paper")
    shown = texts(app)
    assert "The package faulty 1.0 offers the page “acme-broken”, which Loupe leaves out" in shown
    app = preview("acme-stops", "digits-paper", "1 2 3")
    assert not app.exception
    shown = texts(app)
    assert "This page stopped with an error" in shown
    assert "In the package faulty 1.0, the page “acme-stops” failed: ZeroDivisionError" in shown
    assert "faulty_stops.py, line 5" in shown
    assert app.text_input(key="source").value == "1 2 3"
    assert [page.URL for page in PLACES["look"]] == ["attention", "map", "acme-stops", "acme-twice"]


def test_a_change_that_fails_gives_the_run_without_it(capsys: pytest.CaptureFixture) -> None:
    link = "acme-raises!encoder.layers.0.self_attn.heads"
    app = open_app(source="1 2 3", checkpoint="digits-paper", edits=link)
    assert "In the package faulty 1.0, the kind of change “acme-raises” failed: KeyError" in texts(
        app
    )
    app = open_app(source="1 2 3", checkpoint="digits-paper", edits=link.replace("raises", "shape"))
    assert "change must return a tensor of" in texts(app)
    ok(app.text_input(key="source").set_value("2 1").run())
    assert "change must return a tensor of" in texts(app)
    assert capsys.readouterr().err.count("change must return a tensor of") == 1


def test_a_change_may_write_into_its_argument() -> None:
    model = loupe.load("digits-paper")
    made = Intervention("acme-in-place", "encoder.layers.0.self_attn.heads")
    run = loupe.trace(model, "1 2 3", edits=edits_of((made,), model.model).by_name)
    assert not run["encoder.layers.0.self_attn.heads"].any()


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("acme-no-family", "offers the family of models “acme-no-family”, which Loupe leaves out"),
        ("acme-stumbles", "In the package faulty 1.0, the family of models “acme-stumbles” failed"),
        ("unknown-to-all", "model_type of config.json must be one of "),
    ],
)
def test_a_folder_of_a_faulty_family_is_refused_in_a_sentence(
    kind: str, why: str, tmp_path: Path
) -> None:
    with pytest.raises(FolderError, match=why):
        plan_folder(write_gpt2(tmp_path, model_type=kind))


def test_a_type_that_loupe_reads_stays_its_own(tmp_path: Path) -> None:
    assert plan_folder(write_gpt2(tmp_path)).title == "GPT-2"
