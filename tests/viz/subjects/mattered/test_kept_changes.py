"""A kept cut: the change of the run that has the same effect."""

import pytest

from model.attribution.patched_cells import Cell
from model.attribution.patching import Contest, contest
from model.attribution.sublayers import Part
from model.checkpoints.checkpoint import load_checkpoint
from model.interventions.kinds import Intervention
from model.transformer import Transformer
from tests.checkpoints import SHIPPED
from tests.shipped import PAPER, shipped
from viz.models.material import material
from viz.run.making import make_run
from viz.run.record import Run
from viz.subjects.mattered.kept_changes import as_change, as_patch

CROSS = "decoder.layers.1.cross_attn"


@pytest.mark.parametrize(
    ("part", "how", "change"),
    [
        (Part(CROSS, 2), "zero", Intervention("zero", f"{CROSS}.heads", head=2)),
        (Part(CROSS), "zero", Intervention("zero", f"{CROSS}.output")),
        (Part(CROSS, 0), "mean", Intervention("mean", f"{CROSS}.heads", head=0)),
        (Part(CROSS, 1), "even", Intervention("scale", f"{CROSS}.scores", head=1, amount=0.0)),
    ],
)
def test_a_cut_is_said_as_a_change(part, how, change):
    assert as_change(part, how) == change


TIRED = "the animal did not cross the street because it was too tired ."
WIDE = "the animal did not cross the street because it was too wide ."
LONGER = "the animal did not cross the big street because it was too wide ."


def contest_with(other: str) -> tuple[Run, Transformer, Contest]:
    run, model = shipped(PAPER, TIRED)
    ids = run.info.tokenizers.encode_source(other).ids
    return run, model, contest(model, run.source.ids, ids)


@pytest.mark.parametrize("other", [WIDE, LONGER])
def test_a_patched_state_that_is_kept_makes_the_model_write_the_other_pronoun(other: str):
    run, _, which = contest_with(other)
    place = run.info.tokenizers.encode_source(other).tokens.index("it")
    own = run.source.tokens.index("it")
    cell = Cell("state", "encoder.layers.0.output", None, place)
    made = as_patch(cell, which, other)
    assert made is not None
    assert (made.rows, made.origin_rows) == ((own,), (place,))
    checkpoint = load_checkpoint(SHIPPED / PAPER)
    changed = make_run(
        checkpoint, TIRED, interventions=(made,), material=material(checkpoint, TIRED)
    )
    assert "il" in run.target_tokens
    assert "elle" not in run.target_tokens
    assert "elle" in changed.target_tokens


def test_what_has_no_partner_is_not_kept():
    run, _, which = contest_with(LONGER)
    big = run.info.tokenizers.encode_source(LONGER).tokens.index("big")
    assert as_patch(Cell("state", "encoder.output", None, big), which, LONGER) is None
    weights = "encoder.layers.1.self_attn.weights"
    assert as_patch(Cell("row", weights, 1, 2), which, LONGER) is None


def test_all_positions_of_sentences_that_stand_word_for_word_are_all_rows():
    _, _, which = contest_with(WIDE)
    made = as_patch(Cell("z", "encoder.layers.0.self_attn.heads", 3, None), which, WIDE)
    assert made == Intervention("patch", "encoder.layers.0.self_attn.heads", head=3, origin=WIDE)
