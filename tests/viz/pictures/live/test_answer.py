"""What the browser's own model answers to a text is what Python sends of the run of it."""

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from model.interventions.kinds import Intervention
from model.traces import present
from sample_data.everyday.language import said
from tests.checkpoints import SHIPPED, VARIANTS
from tests.node import told_by
from viz.address.selection import nearest
from viz.frame.typing_hints import knows_words, vocabulary
from viz.run.axes import all_heads
from viz.run.making import make_run
from viz.run.payload import pack_run

SCRIPT = Path(__file__).with_name("answers.js")
BESIDE = ("", "?!", "it's 5:30 in Zürich", "The grumpfles saw Maria's 12 zebrons, didn't they?")
OFF = Intervention("zero", "encoder.layers.0.self_attn.heads", head=1)
SEES_LATER = Intervention("set", "decoder.layers.*.self_attn.mask", rows=(0, 1), columns=(2, 3))


def answers(
    name: str, texts: list[str], changes: tuple[Intervention, ...], *, logits: bool = False
) -> Any:
    info = load_checkpoint(SHIPPED / name).info
    asked = {
        "checkpoint": str(SHIPPED / name),
        "vocabulary": vocabulary(info) if knows_words(info) else None,
        "texts": texts,
        "interventions": [dataclasses.asdict(made) for made in changes],
        "logits": logits,
    }
    return told_by(SCRIPT, asked)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "changes"),
    [(name, ()) for name in (*sorted(VARIANTS.values()), "digits-paper")]
    + [(VARIANTS["headlist"], (OFF,))],
)
def test_it_is_what_python_sends(name: str, changes: tuple[Intervention, ...]):
    checkpoint = load_checkpoint(SHIPPED / name)
    everyday = [pair.source for pair in said()[::40]]
    texts = ["3 1 2", "9 9"] if name == "digits-paper" else [*everyday, *BESIDE]
    for text, own in zip(texts, answers(name, texts, changes), strict=True):
        run = make_run(checkpoint, text, interventions=changes)
        sent = pack_run(run, "key").data
        assert own["written"] == list(run.target_ids[1:]), text
        assert own["sentence"] == run.text
        assert own["tokens"] == {side: list(tokens) for side, tokens in run.texts.items()}
        assert own["kinds"] == json.loads(json.dumps(sent["meta"]["kinds"]))
        codes = sent["codes"]["code"].to_pylist()
        assert len(codes) == len(own["codes"])
        assert max(abs(a - b) for a, b in zip(own["codes"], codes, strict=True)) <= 2, text
        for kind, layer, head, *cell in own["telling"]:
            asked = {"kind": kind, "layer": layer, "head": head}
            weights, told = all_heads(run, kind)[layer, head], nearest(run, asked, moved=True)[0]
            most = pytest.approx(weights[told.query, told.key], abs=4e-5)
            assert weights[tuple(cell)] == most, (text, kind)
        for step, mine in zip(run.steps, own["steps"], strict=True):
            assert mine["probability"] == pytest.approx(math.exp(step.log_probability), abs=1e-4)
            best = [each.probability for each in step.candidates(len(mine["candidates"]))]
            told = [each["probability"] for each in mine["candidates"]]
            assert told == pytest.approx(best, abs=1e-4)


def test_a_row_that_sees_later_tokens_has_the_logits_of_the_finished_text():
    """When its token was chosen, the later one was not written yet: all rows are computed anew."""
    name = VARIANTS["paper"]
    checkpoint, (text, *_) = load_checkpoint(SHIPPED / name), [pair.source for pair in said()]
    [own] = answers(name, [text], (SEES_LATER,), logits=True)
    run = make_run(checkpoint, text, interventions=(SEES_LATER,))
    wanted = present(run.trace.logits)[0].numpy()
    chosen_from = torch.stack([step.logits for step in run.steps]).numpy()
    np.testing.assert_allclose(np.reshape(own["logits"], wanted.shape), wanted, atol=1e-4)
    assert abs(wanted[:2] - chosen_from[:2]).max() > 0.01
