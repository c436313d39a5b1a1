import pytest

from model.intervention import Intervention
from viz.run import session
from viz.run.effect import effect
from viz.run.view import Inputs


@pytest.fixture
def before(tiny_checkpoints):
    assert tiny_checkpoints
    return session.open_view(Inputs("english-french-paper", "the cat sleeps .", "", "cpu"))


def changed(before, intervention):
    return session.open_view(before.inputs._replace(interventions=(intervention,)))


def test_a_run_without_cross_attention_is_worse_at_what_was_written(before):
    off = Intervention("zero", "decoder.layers.*.cross_attn.output")
    did = effect(changed(before, off), before)
    assert (
        did.loss[1]
        > did.loss[0]
        == pytest.approx(
            -sum(step.log_probability for step in before.run.steps) / len(before.run.steps)
        )
    )


def test_what_changes_nothing_is_said_to_change_nothing(before):
    same = Intervention("scale", "logits", amount=1.0)
    did = effect(changed(before, same), before)
    assert did.changed_words == 0
    assert did.loss[0] == did.loss[1]
    assert did.entropy[0] == did.entropy[1]
    assert {stretch.fate for stretch in did.stretches} == {"same"}


def test_a_cooler_choice_has_less_entropy_and_the_same_words(before):
    cooler = Intervention("scale", "logits", amount=3.0)
    did = effect(changed(before, cooler), before)
    assert did.entropy[1] < did.entropy[0]
    assert did.changed_words == 0
