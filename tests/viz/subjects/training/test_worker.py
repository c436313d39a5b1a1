import json

import pytest
import torch
from safetensors.torch import load_file

from model.checkpoint import load_checkpoint, read_info
from viz.subjects.training import plan as plans
from viz.subjects.training.plan import Plan
from viz.subjects.training.wire import read_setup, read_snapshot
from viz.subjects.training.worker import train


@pytest.fixture(autouse=True)
def _few_pairs(monkeypatch):
    monkeypatch.setattr(plans, "PAIRS", 300)


def run(folder, plan: Plan, stop_after: int | None = None) -> list[dict]:
    """Train in a folder, stopping after so many steps; give what was told, as JSON has it."""
    plan.write(folder)
    told: list[dict] = []
    asked = iter([False] * (stop_after if stop_after is not None else 1000) + [True] * 1000)
    train(folder, lambda: next(asked), lambda values: told.append(json.loads(json.dumps(values))))
    return told


def test_going_on_gives_what_an_uninterrupted_training_gives(tmp_path):
    plan = Plan(longest=4, steps=5, warmup=2, snapshot_every=2)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    at_once = run(whole, plan)
    first = run(parts, plan, stop_after=3)
    assert first[-1] == {"ended": 3}
    second = run(parts, plan)
    assert second[-1] == {"ended": 5}
    assert [v for v in (*first, *second) if "snapshot" in v] == [
        v for v in at_once if "snapshot" in v
    ]
    left, right = (load_file(folder / f"{plan.name}.safetensors") for folder in (whole, parts))
    assert left.keys() == right.keys()
    assert all(torch.equal(left[name], right[name]) for name in left)
    assert (
        read_info(whole / plan.name).training["losses"]
        == read_info(parts / plan.name).training["losses"]
    )


def test_it_tells_what_stays_then_snapshots_and_losses(tmp_path):
    told = run(tmp_path, Plan(longest=4, steps=10, warmup=2, snapshot_every=5))
    assert [next(iter(values)) for values in told] == [
        "setup",
        "snapshot",
        "snapshot",
        "step",
        "snapshot",
        "ended",
    ]
    setup = read_setup(told[0]["setup"])
    assert setup.source_tokens == ("reverse", "3", "1", "4", "1", "</s>")
    assert setup.target_tokens == ("<s>", "1", "4", "1", "3", "</s>")
    snapshots = [read_snapshot(values["snapshot"]) for values in told if "snapshot" in values]
    assert [snapshot.step for snapshot in snapshots] == [0, 5, 10]
    weights = snapshots[-1].weights["cross-attention"]
    assert weights.shape == (1, 4, 5, 6)
    assert weights.sum(-1) == pytest.approx(1.0, abs=1e-3)  # told to four decimals
    mean = sum(read_info(tmp_path / "reverse-live-seed-0").training["losses"])
    assert told[3]["loss"] == pytest.approx(mean, abs=1e-4)  # one point: of the ten steps


def test_the_last_snapshot_is_of_the_model_that_is_kept(tmp_path):
    told = run(tmp_path, Plan(longest=4, steps=2, warmup=2, snapshot_every=2))
    snapshot = read_snapshot(told[-2]["snapshot"])
    checkpoint = load_checkpoint(tmp_path / "reverse-live-seed-0")
    tokenizers = checkpoint.info.tokenizers
    source = torch.tensor([tokenizers.encode_source("reverse 3 1 4 1").ids])
    target = torch.tensor([tokenizers.encode_target("1 4 1 3").ids[:-1]])
    own = checkpoint.model(source, target).decoder.layers[0].cross_attn.weights.numpy()
    # The file has half precision, what was told four decimals.
    assert snapshot.weights["cross-attention"] == pytest.approx(own, abs=3e-3)


def test_stopped_before_its_first_step_it_starts_again(tmp_path):
    plan = Plan(longest=4, steps=1, warmup=2)
    assert run(tmp_path, plan, stop_after=0)[-1] == {"ended": 0}
    told = run(tmp_path, plan)
    assert "setup" in told[0]
    assert told[-1] == {"ended": 1}
