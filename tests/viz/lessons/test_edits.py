"""Edits that name heads by role: their interventions, and their links."""

import pytest

from model.interventions.kinds import Intervention
from viz.address.changes import Change, read_changes, write_changes
from viz.lessons.edits import check_edit, read_edit
from viz.lessons.faults import LessonError
from viz.lessons.places import find_head
from viz.run.axes import attention_trace

NAME = "everyday-paper-0"
SOURCE = "the animal did not cross the street because it was too tired ."
HEAD = "(best at referents of it)"


@pytest.fixture(scope="module")
def run(runs):
    return runs.run(NAME, SOURCE, "", ())


def made(text, run, runs) -> Intervention:
    return read_edit(text, runs.checkpoint(NAME), run, "edits 1")


def test_a_head_by_role_is_its_attention_and_its_number(run, runs):
    layer, head = find_head(runs.checkpoint(NAME), "best at referents of it")
    path = f"encoder.layers.{layer}.self_attn"
    assert made(f"zero!{HEAD}.heads", run, runs) == Intervention("zero", f"{path}.heads", head=head)
    pointed = Intervention("point", f"{path}.weights", head=head, rows=(8,), columns=(6,))
    assert made(f"point!{HEAD}.weights;r(it);c(street)", run, runs) == pointed


def test_what_needs_no_role_is_as_in_a_link(run, runs):
    for text in ("scale!encoder.layers.*.self_attn.scores;a4", "zero!source_embedding.positions"):
        (change,) = read_changes(text, NAME, SOURCE, "")
        assert made(text, run, runs) == change.intervention


def test_two_columns_have_each_other_s_weight_after_a_swap(run, runs):
    swap = made(f"swap!{HEAD}.weights;r(it);c(animal)_(street)", run, runs)
    layer, head = find_head(runs.checkpoint(NAME), "best at referents of it")
    before = attention_trace(run, "encoder self-attention", layer).weights[0, head, 8].tolist()
    changed = runs.run(NAME, SOURCE, "", (swap,))
    after = attention_trace(changed, "encoder self-attention", layer).weights[0, head, 8].tolist()
    before[1], before[6] = before[6], before[1]
    assert after == pytest.approx(before, abs=2e-4)
    (again,) = read_changes(write_changes([Change(swap)]), NAME, SOURCE, "")
    assert again.intervention == swap


def test_rows_of_the_decoder_are_named_by_what_they_write(run, runs):
    cut = made("cut!(best at content words).weights;r(rue);c(street)", run, runs)
    assert cut.rows == (run.target_tokens.index("rue") - 1,)
    assert cut.columns == (6,)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"zero!{HEAD}.heads;h1", "name a head by role"),
        (f"cut!{HEAD}.weights;r8;c(street)", "words in parentheses, not “r8”"),
        (f"cut!{HEAD}.weights;c(street)_6", "words in parentheses"),
        ("zero!(best head).heads", "no head is called “best head”"),
        (f"zero!{HEAD}.heads~zero!{HEAD}.heads", "on its own"),
        (f"swap!{HEAD}.weights;r(it);c(animal)", "two columns"),
        ("swap!encoder.layers.*.self_attn.weights;r(it);c(animal)_(street)", "swap needs a head"),
        ("zero!source_embedding.positions;zz", "part of a change cannot be read"),
        ("", "records nothing called “”"),
    ],
)
def test_what_cannot_be_made_is_refused(text, says, run, runs):
    with pytest.raises(LessonError, match=says):
        made(text, run, runs)


def test_form_is_checked_without_a_model():
    check_edit(f"swap!{HEAD}.weights;r(it);c(animal)_(street)", "edits 1")
    with pytest.raises(LessonError, match="edits 1: name a head by role"):
        check_edit("zero!encoder.layers.0.self_attn.heads;h0", "edits 1")
