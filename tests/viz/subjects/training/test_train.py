import subprocess
import sys

import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from model.checkpoints.checkpoint_files import read_info
from viz.subjects.training import plan as plans
from viz.subjects.training.messages import read_setup, read_snapshot
from viz.subjects.training.plan import Plan
from viz.subjects.training.train import train
from viz.work.messages import from_line, to_line


@pytest.fixture(autouse=True)
def _few_pairs(monkeypatch):
    monkeypatch.setattr(plans, "PAIRS", 300)


def run(folder, plan: Plan, stop_after: int = 1000) -> list[dict]:
    """Train, stopping after some steps; return the messages as the page receives them."""
    told: list[dict] = []
    asked = iter([False] * stop_after + [True])
    step = train(
        plan, folder, lambda: next(asked), lambda values: told.append(from_line(to_line(values)))
    )
    return [*told, {"done": step}]


def about(told: list[dict], name: str) -> list[dict]:
    return [values[name] for values in told if name in values]


def test_it_tells_what_stays_then_snapshots_and_losses(tmp_path):
    told = run(tmp_path, Plan(longest=4, steps=10, warmup=2, snapshot_every=5))
    names = ["setup", "snapshot", "snapshot", "step", "snapshot", "done"]
    assert [next(iter(values)) for values in told] == names
    setup = read_setup(*about(told, "setup"))
    assert setup.source_tokens == ("reverse", "3", "1", "4", "1", "</s>")
    assert setup.target_tokens == ("<s>", "1", "4", "1", "3", "</s>")
    snapshots = [read_snapshot(values) for values in about(told, "snapshot")]
    assert [snapshot.step for snapshot in snapshots] == [0, 5, 10]
    weights = snapshots[-1].weights["cross-attention"]
    assert weights.shape == (1, 4, 5, 6)
    assert weights.sum(-1) == pytest.approx(1.0, abs=1e-5)
    mean = sum(read_info(tmp_path / "reverse-live-seed-0").training["losses"])
    assert told[3]["loss"] == pytest.approx(mean, abs=1e-4)  # one point for ten steps


@pytest.mark.slow
def test_the_last_snapshot_is_of_the_model_that_is_kept(tmp_path):
    told = run(tmp_path, Plan(longest=4, steps=9, warmup=2, snapshot_every=2), stop_after=3)
    assert told[-1] == {"done": 3}
    snapshot = read_snapshot(about(told, "snapshot")[-1])
    assert snapshot.step == 3
    checkpoint = load_checkpoint(tmp_path / "reverse-live-seed-0")
    tokenizers = checkpoint.info.tokenizers
    source = torch.tensor([tokenizers.encode_source("reverse 3 1 4 1").ids])
    target = torch.tensor([tokenizers.encode_target("1 4 1 3").ids[:-1]])
    own = checkpoint.model(source, target).decoder.layers[0].cross_attn.weights.numpy()
    # The file stores float16.
    assert snapshot.weights["cross-attention"] == pytest.approx(own, abs=3e-3)


def test_the_process_watches_its_input_before_it_imports_anything_slow():
    slow = {"torch", "streamlit", "sklearn"}
    script = f"import sys, viz.subjects.training.worker; assert not {slow!r} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", script], check=True)
