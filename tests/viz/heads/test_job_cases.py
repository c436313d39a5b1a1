"""The cells of a run that a job is about, in sentences whose cases are counted by hand."""

import pytest

from tests.checkpoints import SHIPPED
from viz.frame import heads
from viz.heads.even_rows import stands_out
from viz.heads.job_cases import find_cases
from viz.models.running import open_view
from viz.run.inputs import Inputs
from viz.subjects.induction.actions import head_cut

NAME = "everyday-paper-0"
TIRED = "the animal did not cross the street because it was too tired ."
ENCODER = "encoder self-attention"


@pytest.fixture(autouse=True)
def _shipped(monkeypatch):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(SHIPPED))


def cases(source: str, name: str = NAME):
    view = open_view(Inputs(name, source, "", "cpu"))
    roles = heads.roles(view)
    assert roles is not None
    return find_cases(view.run, roles)


def test_the_cases_of_a_sentence_by_hand():
    found = cases(TIRED)
    assert found[ENCODER]["it_referent"] == [(8, 1)]
    assert found[ENCODER]["modifier_noun"] == [(0, 1), (5, 6)]
    assert found[ENCODER]["reads_before"] == [(row, row - 1) for row in range(1, 14)]
    assert (1, 1) in found["cross-attention"]["reads_translated"]  # "animal" reads "animal"


def test_of_a_sentence_that_nobody_knows_only_what_is_certain():
    found = cases("i love pizza because it is delicious .")
    assert "it_referent" not in found[ENCODER]  # its referent is not known
    assert "reads_translated" not in found["cross-attention"]
    assert "reads_before" in found[ENCODER]
    assert cases("the cat sleeps .")[ENCODER]["it_referent"] == []  # there is no "it"


def test_a_changed_run_has_no_jobs_and_says_so():
    one = "induction-one-head"
    text = "river lamp horse bread moon star river lamp"
    plain = open_view(Inputs(one, text, "", "cpu"))
    changed = open_view(plain.inputs._replace(interventions=(head_cut(plain, 0, 0),)))
    assert not heads.measures(plain)["changed"]
    assert heads.measures(plain)["cases"]["decoder self-attention"]
    assert heads.measures(changed)["changed"]
    assert heads.roles(changed) is None
    assert heads.roles(plain) is not None
    assert all(names == () for names in heads.summary(changed)["roles"])


@pytest.mark.parametrize(
    ("weight", "allowed", "does"),
    [
        (0.12, 10, False),  # each of the others has 0.098
        (0.15, 10, True),  # each of the others has 0.094
        (0.61, 2, True),
        (0.59, 2, False),
        (1.0, 1, True),  # there is no choice
        (0.04, 250, True),
    ],
)
def test_a_weight_stands_out_from_one_and_a_half_times_the_others_on(weight, allowed, does):
    assert bool(stands_out(weight, allowed)) is does
