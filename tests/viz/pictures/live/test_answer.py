"""The browser's own model answers a text with the same data that Python sends of its run."""

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from model.decoding.steps import steps_of
from model.interventions.kinds import Intervention
from model.traces import present
from sample_data.everyday.language import said
from tests.checkpoints import ONE_TEXT, ONE_TEXT_MODELS, SHIPPED, VARIANTS
from tests.node import told_by
from viz.address.selection import nearest
from viz.frame.typing_hints import knows_words, vocabulary
from viz.run.axes import all_heads
from viz.run.making import make_run
from viz.run.payload import pack_run
from viz.run.record import Run

SCRIPT = Path(__file__).with_name("answers.js")
BESIDE = ("", "?!", "it's 5:30 in Zürich", "The grumpfles saw Maria's 12 zebrons, didn't they?")
OFF = Intervention("zero", "encoder.layers.0.self_attn.heads", head=1)
SEES_LATER = Intervention("set", "decoder.layers.*.self_attn.mask", rows=(0, 1), columns=(2, 3))


def answers(
    name: str,
    texts: list[str],
    changes: tuple[Intervention, ...],
    *,
    folder: Path = SHIPPED,
    logits: bool = False,
    **further: int,
) -> Any:
    info = load_checkpoint(folder / name).info
    asked = {
        "checkpoint": str(folder / name),
        "vocabulary": vocabulary(info) if knows_words(info) else None,
        "texts": texts,
        "interventions": [dataclasses.asdict(made) for made in changes],
        "logits": logits,
        **further,
    }
    return told_by(SCRIPT, asked)


def check(own: dict[str, Any], run: Run) -> None:
    """Compare the browser's answer with the data that Python sends of the run."""
    sent = pack_run(run, "key").data
    assert own["written"] == list(run.target_ids[1:]), run.source_text
    assert own["prompt"] == run.n_prompt
    assert own["sentence"] == run.text
    assert own["tokens"] == {side: list(tokens) for side, tokens in run.texts.items()}
    assert own["kinds"] == json.loads(json.dumps(sent["meta"]["kinds"]))
    codes = sent["codes"]["code"].to_pylist()
    assert len(codes) == len(own["codes"])
    assert max(abs(a - b) for a, b in zip(own["codes"], codes, strict=True)) <= 2, run.source_text
    steps = run.steps or steps_of(present(run.trace.logits)[0], run.source.ids)
    for step, mine in zip(steps, own["steps"], strict=True):
        assert mine["id"] == step.token
        assert mine["probability"] == pytest.approx(math.exp(step.log_probability), abs=1e-4)
        best = [each.probability for each in step.candidates(len(mine["candidates"]))]
        told = [each["probability"] for each in mine["candidates"]]
        assert told == pytest.approx(best, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "changes"),
    [(name, ()) for name in (*sorted(VARIANTS.values()), "digits-paper")]
    + [(VARIANTS["headlist"], (OFF,))],
)
def test_it_is_what_python_sends(name: str, changes: tuple[Intervention, ...]):
    checkpoint = load_checkpoint(SHIPPED / name)
    everyday = [pair.source for pair in said()[::80]]
    texts = ["3 1 2", "9 9"] if name == "digits-paper" else [*everyday, *BESIDE]
    for text, own in zip(texts, answers(name, texts, changes), strict=True):
        run = make_run(checkpoint, text, interventions=changes)
        check(own, run)
        for kind, layer, head, *cell in own["telling"]:
            asked = {"kind": kind, "layer": layer, "head": head}
            weights, told = all_heads(run, kind)[layer, head], nearest(run, asked, moved=True)[0]
            most = pytest.approx(weights[told.query, told.key], abs=4e-5)
            assert weights[tuple(cell)] == most, (text, kind)


def test_a_row_that_sees_later_tokens_has_the_logits_of_the_finished_text():
    """A token was chosen before the later ones existed, so all rows are computed again."""
    name = VARIANTS["paper"]
    checkpoint, (text, *_) = load_checkpoint(SHIPPED / name), [pair.source for pair in said()]
    [own] = answers(name, [text], (SEES_LATER,), logits=True)
    run = make_run(checkpoint, text, interventions=(SEES_LATER,))
    wanted = present(run.trace.logits)[0].numpy()
    chosen_from = torch.stack([step.logits for step in run.steps]).numpy()
    np.testing.assert_allclose(np.reshape(own["logits"], wanted.shape), wanted, atol=1e-4)
    assert abs(wanted[:2] - chosen_from[:2]).max() > 0.01


@pytest.mark.parametrize("name", ONE_TEXT_MODELS)
def test_a_model_of_one_text_continues_it_or_reads_it(name: str, one_text_checkpoints: Path):
    stack = "encoder" if name == "tiny-bert" else "decoder"
    off = Intervention("zero", f"{stack}.layers.*.self_attn.heads", head=2)
    checkpoint = load_checkpoint(one_text_checkpoints / name)
    texts = [ONE_TEXT, "the dog", "a man and a woman and the door ."]
    for changes in ((), (off,)):
        told = answers(name, texts, changes, folder=one_text_checkpoints)
        for text, own in zip(texts, told, strict=True):
            check(own, make_run(checkpoint, text, interventions=changes))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("tiny-gpt", ()),
        ("tiny-alibi", (Intervention("zero", "decoder.layers.*.self_attn.heads", head=2),)),
    ],
)
def test_a_prompt_after_which_one_token_is_written_takes_the_same_first_steps(
    name: str, changes: tuple[Intervention, ...], one_text_checkpoints: Path
):
    whole, once = (
        answers(name, [ONE_TEXT], changes, folder=one_text_checkpoints, **further)[0]
        for further in ({}, {"continued": 1})
    )
    count = once["prompt"] + 1
    assert len(once["written"]) == count < len(whole["written"])
    assert once["written"] == whole["written"][:count]
    for mine, wanted in zip(once["steps"], whole["steps"], strict=False):
        assert mine["id"] == wanted["id"]
        assert mine["probability"] == pytest.approx(wanted["probability"], rel=1e-4)


@pytest.mark.parametrize("name", ["agreement", "brackets", "induction-two-heads"])
def test_so_do_those_that_are_shipped(name: str):
    """Their files lack newer config fields, which then have their default values."""
    checkpoint = load_checkpoint(SHIPPED / name)
    tokens = sorted(checkpoint.info.tokenizers.target.vocabulary)
    texts = [" ".join(tokens[first:9:step]) for first, step in ((0, 1), (1, 2), (0, 3))]
    for text, own in zip(texts, answers(name, texts, ()), strict=True):
        check(own, make_run(checkpoint, text))
