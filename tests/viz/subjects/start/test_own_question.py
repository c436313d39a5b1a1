"""What Start asks of a typed sentence in the browser's own model is what Python asks of it."""

import base64
import dataclasses
import json
import random
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from model.checkpoints.checkpoint import load_checkpoint
from model.interventions.kinds import Intervention
from sample_data.everyday.language import said
from tests.checkpoints import DEFAULT, SHIPPED, VARIANTS
from tests.node import told_by
from viz.frame.typing_hints import vocabulary
from viz.models.browser_inputs import pack_intervention
from viz.run.making import make_run
from viz.run.record import Run
from viz.subjects.start import packing, question
from viz.subjects.start.effect import lost_without, probability_without
from viz.subjects.start.packing import answer_step, pack_reading
from viz.subjects.start.question import ask

SCRIPT = Path(__file__).with_name("own_questions.js")
PAPER = "everyday-paper-0"
ODD = [
    (DEFAULT, -1),
    (DEFAULT, 1),
    ("My sister has read the letter to Zoltan, and she gave him 12 laptops!", -1),
    ("The cat , the dog .", 3),
    ("gloop", -1),
    ("the", 0),
    (".", -1),
    ("? !", -1),
    ("Yes.", -1),
    ("they sleep and he runs", -1),
    ("The old man reads a long letter from the other sister every evening.", 3),
]
ZERO = Intervention("zero", "encoder.layers.0.self_attn.heads", 1)


def sentences(count: int) -> list[tuple[str, int]]:
    return [(pair.source, -1) for pair in random.Random(3).sample(said(), count)]


@pytest.mark.parametrize(
    ("name", "asked", "changes"),
    [
        (PAPER, [*ODD, *sentences(20)], ()),
        (PAPER, ODD, (ZERO,)),
        (VARIANTS["prenorm"], ODD, ()),
        pytest.param(PAPER, sentences(200), (), marks=pytest.mark.slow),
    ],
    ids=["paper", "changed", "prenorm", "many"],
)
def test_each_question_and_its_reading_are_pythons(
    name: str,
    asked: list[tuple[str, int]],
    changes: tuple[Intervention, ...],
    monkeypatch: pytest.MonkeyPatch,
):
    for module in (question, packing):  # the browser does not know what "it" means
        monkeypatch.setattr(module, "meaning_of", lambda _run: None)
    checkpoint = load_checkpoint(SHIPPED / name)
    told = by_browser(name, asked, changes, vocabulary(checkpoint.info))
    for (text, word), own in zip(asked, told, strict=True):
        run = make_run(checkpoint, text, interventions=changes)
        hold(own, run, None if word < 0 else word, checkpoint.model)


def by_browser(
    name: str, asked: list[tuple[str, int]], changes: Any, known: Any
) -> list[dict[str, Any]]:
    wanted = {
        "checkpoint": str(SHIPPED / name),
        "vocabulary": known,
        "interventions": [pack_intervention(made) for made in changes],
        "cases": [{"text": text, "word": word} for text, word in asked],
    }
    return told_by(SCRIPT, wanted)


def hold(own: dict[str, Any], run: Run, word: int | None, model: Any) -> None:
    text = run.source_text
    found = ask(run, None, word, partial(lost_without, run, model))
    place = dataclasses.asdict(found)
    assert {part: own[part] for part in ("layer", "head", "query")} == {
        part: place[part] for part in ("layer", "head", "query")
    }, text
    step = answer_step(run, found)
    without = None if step is None else probability_without(run, model, found, step)
    wanted: dict[str, Any] = {**pack_reading(run, found, without)}
    row = wanted.pop("row")
    numbers = {"matrix": wanted.pop("weights"), "shares": row.pop("weights"), **row}
    reading = own["reading"]
    for part, packed in numbers.items():
        expected = np.frombuffer(base64.b64decode(packed), "<f4")
        np.testing.assert_allclose(reading.pop(part), expected, atol=1e-4, rtol=1e-4, err_msg=text)
    answer, held = reading.pop("answer"), wanted.pop("answer")
    assert answer == (held and pytest.approx(held, abs=1e-4)), text
    assert reading == json.loads(json.dumps(wanted)), text
