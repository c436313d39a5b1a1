import contextlib
import io
import os
from pathlib import Path

import pytest
import torch

from model.interventions.kinds import Intervention
from tests.checkpoints import SHIPPED
from tests.model.foreign.hub.entries import write_entry
from tests.model.foreign.hub.stand_in import COMMIT
from tests.model.foreign.imports.folders import write_gpt2
from viz.address.selection import default_selection
from viz.frame.python import again_lines, checkpoint_path
from viz.models import opening, running, stamps
from viz.pages import AS_PYTHON
from viz.run.as_python import as_imported, held_lines, run_lines, write
from viz.run.inputs import Inputs
from viz.run.view import View

CHANGES = (
    Intervention("zero", "encoder.layers.0.self_attn.heads", head=0),
    Intervention("mean", "decoder.layers.0.cross_attn.heads", head=1),
    Intervention("patch", "encoder.output", rows=(1,), origin="the dog sleeps ."),
)


def view_of(changes: tuple[Intervention, ...]) -> View:
    inputs = Inputs("everyday-paper", "the cat's dog sleeps .", "", "cpu", changes)
    return running.open_view(inputs)


def run(text: str, names: dict) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, "lines", "exec"), names)
    return printed.getvalue()


@pytest.mark.slow
@pytest.mark.usefixtures("tiny_checkpoints")
@pytest.mark.parametrize("changes", [(), CHANGES], ids=["as it is", "changed"])
def test_the_lines_of_a_run_give_that_run(changes: tuple[Intervention, ...]):
    view = view_of(changes)
    names: dict = {}
    assert run(as_imported(run_lines(view, checkpoint_path(view))), names) == f"{view.run.text}\n"
    torch.testing.assert_close(names["run"].trace.logits, view.run.trace.logits)


@pytest.mark.usefixtures("tiny_checkpoints")
@pytest.mark.parametrize("page", AS_PYTHON)
def test_the_lines_of_each_card_run_after_those_of_the_run(page: str):
    view = view_of(CHANGES[:1])
    names: dict = {}
    run(run_lines(view, checkpoint_path(view)), names)
    for lines in AS_PYTHON[page](view, default_selection(view.run)).values():
        assert run(as_imported(lines), dict(names)).strip()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("induction-two-heads", "river lamp horse bread moon star river lamp horse"),
        ("agreement", "the kings near the dog <mask> old ."),
    ],
)
def test_the_lines_of_what_mattered_in_one_text_run(name: str, text: str, monkeypatch):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(SHIPPED))
    view = running.open_view(Inputs(name, text, "", "cpu"))
    names: dict = {}
    run(run_lines(view, checkpoint_path(view)), names)
    found = AS_PYTHON["mattered"](view, default_selection(view.run))
    assert found.keys() == {"Every cut", "Patching"}
    for lines in found.values():
        assert run(as_imported(lines), dict(names)).strip()


def test_a_target_that_is_given_is_in_the_lines(tiny_checkpoints: Path):
    assert os.fspath(tiny_checkpoints)
    inputs = Inputs("everyday-paper", "the cat sleeps .", "le chien dort .", "cpu")
    view = running.open_view(inputs)
    assert "le chien dort" in run(run_lines(view, checkpoint_path(view)), {})


@pytest.mark.usefixtures("tiny_checkpoints")
def test_rows_are_copied_in_the_lines_from_the_run_of_the_given_target():
    name = "decoder.layers.0.self_attn.weights"
    copied = Intervention("patch", name, rows=(3,), origin_rows=(2,))
    inputs = Inputs("everyday-paper", "the cat sleeps .", "le chien dort .", "cpu", (copied,))
    view, names = running.open_view(inputs), {}
    run(run_lines(view, checkpoint_path(view)), names)
    plain = running.open_view(inputs._replace(interventions=())).run
    weights = names["run"].trace.decoder.layers[0].self_attn.weights[0, :, 3, :3]
    kept = plain.trace.decoder.layers[0].self_attn.weights[0, :, 2, :3]
    torch.testing.assert_close(weights, kept)


def test_an_intervention_is_written_as_it_is_made():
    for change in CHANGES:
        assert eval(write(change)) == change


def test_the_imports_hold_wherever_loupe_is():
    text = "from pathlib import Path\nfrom model.b.c import load_checkpoint\nx = 'from model.a'"
    assert as_imported(text).splitlines()[:2] == [
        "from pathlib import Path",
        "from loupe.model.b.c import load_checkpoint",
    ]
    assert as_imported(text).endswith("'from model.a'")


@pytest.mark.usefixtures("tiny_checkpoints")
def test_a_model_of_the_process_is_traced_by_its_owners_names():
    view = view_of(CHANGES[:1])
    checkpoint = opening.load_checkpoint(view.inputs.checkpoint, "cpu")
    printed = run(held_lines(view), {"model": checkpoint, "tokenizer": None})
    assert "encoder.layers.0.self_attn.weights (1, 4," in printed


def test_a_model_of_the_hub_is_loaded_by_its_name_and_commit(tmp_path, monkeypatch):
    path = write_entry(tmp_path, "org/tiny", folder=write_gpt2(tmp_path / "plain"))
    monkeypatch.setenv("LOUPE_MODELS", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    view = running.open_view(Inputs("models/org/tiny", "The fox", "", "cpu"))
    for lines in (again_lines(view), as_imported(run_lines(view, checkpoint_path(view)))):
        assert f"loupe.load('org/tiny', revision='{COMMIT}')" in lines
        assert str(tmp_path) not in lines
        names: dict = {}
        run(lines, names)
        assert names["run"].info.called == f"org/tiny (commit {COMMIT[:7]})"
    assert stamps.stamp("models/org/tiny").path == str(path)
