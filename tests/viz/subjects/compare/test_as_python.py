import contextlib
import io

import pytest
import streamlit as st

from model.interventions.kinds import Intervention
from tests.checkpoints import DEFAULT
from viz.address.selection import default_selection
from viz.frame.python import checkpoint_path
from viz.models import running
from viz.run.as_python import run_lines
from viz.run.inputs import Inputs
from viz.run.view import View
from viz.subjects.compare.as_python import cards

HERE = Inputs("everyday-paper", DEFAULT, "", "cpu")
OFF = Intervention("zero", "encoder.layers.0.self_attn.heads", head=1)


@pytest.mark.parametrize(
    ("other", "printed"),
    [
        (HERE._replace(source="the cat sleeps ."), "source_embedding.output"),
        (HERE._replace(target="le chat dort ."), "source_embedding.output 0.0 True"),
        (HERE._replace(interventions=(OFF,)), "source_embedding.output 0.0 True"),
        (HERE._replace(checkpoint="everyday-headlist"), "Row(kind="),
    ],
)
def test_the_lines_make_the_other_run(
    tiny_checkpoints, monkeypatch: pytest.MonkeyPatch, other: Inputs, printed: str
):
    assert tiny_checkpoints
    monkeypatch.setattr(st, "session_state", {"compare_other": other})
    view: View = running.open_view(HERE)
    first = run_lines(view, checkpoint_path(view))
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        for text in cards(view, default_selection(view.run)).values():
            exec(compile(f"{first}\n{text}", "lines", "exec"), {})
    assert printed in said.getvalue()
