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
    device = next(model.parameters()).device
    name = f"encoder.layers.{question.layer}.self_attn.heads"
    off = Intervention("zero", name, head=question.head)
    source = torch.tensor([run.source.ids], device=device)
    written = [one.token for one in run.steps]
    with torch.inference_mode():
        steps = score(model, source, written, edits=run.edits.then(edits_of((off,), model)))
    return math.exp(steps[step].log_probability)
