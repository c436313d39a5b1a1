import pytest
import torch

from model.edits import Edits, ablate
from model.interventions.kinds import Intervention
from tests.checkpoints import ONE_TEXT
from viz.models import running
from viz.run.effect import effect
from viz.run.inputs import Inputs


@pytest.fixture
def before(tiny_checkpoints):
    assert tiny_checkpoints
    return running.open_view(Inputs("everyday-paper", "the cat sleeps .", "", "cpu"))


def changed(before, intervention):
    return running.open_view(before.inputs._replace(interventions=(intervention,)))


def test_what_changes_nothing_is_said_to_change_nothing(before):
    same = Intervention("scale", "logits", amount=1.0)
    did = effect(changed(before, same), before)
    assert did.changed_words == 0
    assert did.loss[0] == did.loss[1]
    assert did.entropy[0] == did.entropy[1]
    assert {stretch.fate for stretch in did.stretches} == {"same"}


@pytest.mark.usefixtures("one_text_app")
@pytest.mark.parametrize(
    ("name", "part"),
    [("tiny-gpt", "decoder.layers.0.self_attn"), ("tiny-bert", "encoder.layers.0.self_attn")],
)
def test_what_a_change_did_to_one_text(name, part):
    before = running.open_view(Inputs(name, ONE_TEXT, "", "cpu"))
    off = Intervention("zero", f"{part}.output")
    view = running.open_view(before.inputs._replace(interventions=(off,)))
    did = effect(view, before)
    ids = torch.tensor([before.run.target_ids or before.run.source.ids])
    edits = Edits({f"{part}.output": ablate})
    with torch.inference_mode():
        if before.run.steps:
            first = before.run.n_prompt
            logits = view.model(None, ids[:, :-1], edits=edits).logits[:, first:]
            said = ids[0, 1 + first :]
        else:
            logits = view.model(ids, None, edits=edits).logits
            said = view.model(ids, None).logits[0].argmax(-1)
    loss = torch.nn.functional.cross_entropy(logits[0], said).item()
    assert did.loss is not None
    assert did.loss[1] == pytest.approx(loss, abs=1e-5)
    assert did.loss[0] != pytest.approx(loss, abs=1e-4)


def test_a_cooler_choice_has_less_entropy_and_the_same_words(before):
    cooler = Intervention("scale", "logits", amount=3.0)
    did = effect(changed(before, cooler), before)
    assert did.entropy[1] < did.entropy[0]
    assert did.changed_words == 0
