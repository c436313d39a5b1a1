"""What becomes of the answer without the head that gives it: the same run with the head off."""

import math

import torch

from model.decoding.greedy import score
from model.interventions.kinds import Intervention, edits_of
from model.transformer import Transformer
from viz.run.record import Run
from viz.subjects.start.question import Question


def probability_without(run: Run, model: Transformer, question: Question, step: int) -> float:
    """Return the probability of the token that a step wrote, with the head's output set to zero."""
    return math.exp(_log_probabilities(run, model, question.layer, question.head)[step])


def lost_without(run: Run, model: Transformer, layer: int, head: int) -> float:
    """Return how much less likely, in nats, all that was written is without a head."""
    without = _log_probabilities(run, model, layer, head)
    return sum(step.log_probability for step in run.steps) - sum(without)


def _log_probabilities(run: Run, model: Transformer, layer: int, head: int) -> list[float]:
    device = next(model.parameters()).device
    off = Intervention("zero", f"encoder.layers.{layer}.self_attn.heads", head=head)
    source = torch.tensor([run.source.ids], device=device)
    written = [one.token for one in run.steps]
    with torch.inference_mode():
        steps = score(model, source, written, edits=run.edits.then(edits_of((off,), model)))
    return [step.log_probability for step in steps]
