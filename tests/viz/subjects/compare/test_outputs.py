import pytest
import torch
from torch.nn.functional import kl_div

from tests.shipped import PAPER, shipped
from viz.subjects.compare.divergence import jensen_shannon
from viz.subjects.compare.outputs import share_vocabulary, step_changes
from viz.subjects.compare.pairing import pair_runs

TIRED = "the animal did not cross the street because it was too tired ."
WIDE = TIRED.replace("tired", "wide")


def steps_of(a, b):
    rows, _ = pair_runs(a, b).axes("cross-attention", a, b)
    return step_changes(a, b, rows)


def test_the_pronoun_and_the_adjective_are_the_steps_that_change():
    a, b = shipped(PAPER, TIRED)[0], shipped(PAPER, WIDE)[0]
    far = [step for step in steps_of(a, b) if step.moved > 0.5]
    assert [a.target_tokens[step.steps[0] + 1] for step in far] == ["il", "fatigué"]
    assert {change.token for change in far[0].tokens[:2]} == {"il", "elle"}
    assert all(change.a > change.b for change in far[0].tokens if change.token == "il")


def test_bits_are_those_of_torch():
    a, b = shipped(PAPER, TIRED)[0], shipped(PAPER, WIDE)[0]
    step = steps_of(a, b)[10]
    p, q = (run.steps[10].logits.double().softmax(-1) for run in (a, b))
    mean = ((p + q) / 2).log()
    divergence = (kl_div(mean, p, reduction="sum") + kl_div(mean, q, reduction="sum")) / 2
    bits = divergence.item() / torch.tensor(2.0).log().item()
    assert jensen_shannon(p[None].numpy(), q[None].numpy())[0] == pytest.approx(bits, abs=1e-6)
    assert step.moved == pytest.approx((p - q).abs().sum().item() / 2, abs=1e-6)


def test_models_of_other_words_share_no_vocabulary():
    a, digits = shipped(PAPER, TIRED)[0], shipped("digits-paper")[0]
    assert share_vocabulary(a, shipped(PAPER, WIDE)[0])
    assert not share_vocabulary(a, digits)
