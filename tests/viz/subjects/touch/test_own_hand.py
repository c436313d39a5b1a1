"""What the hand is given without Python is what Python packs of the same run."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from model.checkpoints.checkpoint import load_checkpoint
from model.interventions.kinds import Intervention
from sample_data.tasks import TASKS, source_classes
from tests.checkpoints import DEFAULT, SHIPPED, VARIANTS
from tests.node import told_by
from tests.viz.subjects.attention.holding import view_of
from viz.subjects.touch import pulls
from viz.subjects.touch.packing import pack_hand

SCRIPT = Path(__file__).with_name("own_hands.js")
ACROSS = "decoder.layers.*.cross_attn.weights"
PULLED = Intervention("point", ACROSS, rows=(2,), columns=(4,), amount=0.9)
CUT = Intervention("cut", "encoder.layers.0.self_attn.weights", 1, (1,), (0,))
PAINTED = Intervention("paint", ACROSS, rows=(1,), columns=None, values=(0.5, 0.25, 1.0))
UNKNOWN = "The grumpfles saw Maria's 12 zebrons, didn't they?"
TEXTS = (*TASKS["everyday"].examples[2:5], DEFAULT, UNKNOWN)
NAMES_OF_OURS = {"run", "before", "model", "likely", "named"}


def own_hands(name: str, nouns: list[str], asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    wanted = {"checkpoint": str(SHIPPED / name), "nouns": nouns, "cases": asked}
    return told_by(SCRIPT, wanted)


@pytest.mark.parametrize(
    ("name", "task"), [(VARIANTS["paper"], "everyday"), (VARIANTS["headlist"], "none")]
)
def test_it_is_what_python_packs(name: str, task: str, monkeypatch: pytest.MonkeyPatch):
    classes = source_classes(task)
    monkeypatch.setattr(pulls, "source_classes", lambda _: classes)
    nouns = [word for word, of in classes.items() if of.startswith("noun")]
    checkpoint = load_checkpoint(SHIPPED / name)
    cases = [(text, changes) for text in TEXTS for changes in ((), (PULLED,), (CUT, PAINTED))]
    asked = [
        {"text": text, "interventions": [dataclasses.asdict(made) for made in changes]}
        for text, changes in cases
    ]
    before = {text: view_of(checkpoint, text) for text in TEXTS}
    pulled = {text: pulls.telling_pull(of.run, checkpoint.model) for text, of in before.items()}
    for (text, changes), own in zip(cases, own_hands(name, nouns, asked), strict=True):
        view = view_of(checkpoint, text, *changes) if changes else before[text]
        packed = json.loads(json.dumps(pack_hand(view, before[text], "own", pulled[text], 3)))
        assert own.keys() == packed.keys()
        for field in ("probabilities", "probabilitiesBefore"):
            assert own.pop(field) == pytest.approx(packed.pop(field), abs=1e-4), text
        assert own["likely"] == []
        ours, theirs = (dict(map(tuple, hand["named"])) for hand in (own, packed))
        plain = checkpoint.info.tokenizers.target.token
        assert ours == {id: token for id, token in theirs.items() if token != plain(id)}
        for field in own.keys() - NAMES_OF_OURS:
            assert own[field] == packed[field], (text, field)
