"""Runs of the shipped checkpoints, each made once."""

import functools
from dataclasses import replace

import torch

from model.text.tokenizer import BOS_ID
from model.transformer import Transformer
from sample_data.tasks import TASKS
from tests.checkpoints import DEFAULT, load_shipped
from viz.run.making import make_run
from viz.run.record import Run

PAPER = "everyday-paper-0"
LONG = " and ".join([DEFAULT[:-2]] * 4) + " ."


@functools.cache
def shipped(name: str, text: str = "") -> tuple[Run, Transformer]:
    """Run a shipped model on a text, or on the first example of its task."""
    checkpoint = load_shipped(name)
    example = TASKS[checkpoint.info.task].examples[0]
    return make_run(checkpoint, text or example), checkpoint.model


def without_source(name: str) -> tuple[Run, Transformer]:
    """Mask every key of the source, so that encoder and cross-attention queries have none left."""
    run, model = shipped(name)
    hidden = torch.zeros(1, 1, len(run.source.ids), dtype=torch.bool)
    ids = torch.tensor([[BOS_ID, *(step.token for step in run.steps)][:-1]])
    with torch.inference_mode():
        trace = model(torch.tensor([run.source.ids]), ids, source_mask=hidden)
    return replace(run, trace=trace), model
