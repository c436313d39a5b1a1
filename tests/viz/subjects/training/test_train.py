import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from model.checkpoints.checkpoint import load_checkpoint, read_info
from model.files.lock import LockedError
from viz.subjects.training import plan as plans
from viz.subjects.training.folder import Record, lock_file
from viz.subjects.training.messages import read_setup, read_snapshot
from viz.subjects.training.plan import Plan
from viz.subjects.training.train import train
from viz.work.messages import from_line, to_line


@pytest.fixture(autouse=True)
def _few_pairs(monkeypatch):
    monkeypatch.setattr(plans, "PAIRS", 300)


def run(folder, plan: Plan, stop_after: int | None = None) -> list[dict]:
    """Train in a folder, stopping after so many steps; give what was told, as the page hears it."""
    plan.write(folder)
    told: list[dict] = []
    asked = iter([False] * (stop_after if stop_after is not None else 1000) + [True] * 1000)
    step = train(
        folder, lambda: next(asked), lambda values: told.append(from_line(to_line(values)))
    )
    return [*told, {"done": step}]


def about(told: list[dict], name: str) -> list[dict]:
    return [values[name] for values in told if name in values]


@pytest.mark.slow
def test_going_on_gives_what_an_uninterrupted_training_gives(tmp_path):
    plan = Plan(longest=4, steps=5, warmup=2, snapshot_every=2)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    at_once = run(whole, plan)
    first = run(parts, plan, stop_after=3)
    assert (first[0], first[-1]) == ({"resumed": 0}, {"done": 3})
    second = run(parts, plan)
    assert (second[0], second[-1]) == ({"resumed": 3}, {"done": 5})
    told = [*about(first, "snapshot"), *about(second, "snapshot")]
    for ours, theirs in zip(told, about(at_once, "snapshot"), strict=True):
        np.testing.assert_equal(ours, theirs)
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
        "resumed",
        "setup",
        "snapshot",
        "snapshot",
        "step",
        "snapshot",
        "ended",
        "done",
    ]
    setup = read_setup(*about(told, "setup"))
    assert setup.source_tokens == ("reverse", "3", "1", "4", "1", "</s>")
    assert setup.target_tokens == ("<s>", "1", "4", "1", "3", "</s>")
    snapshots = [read_snapshot(values) for values in about(told, "snapshot")]
    assert [snapshot.step for snapshot in snapshots] == [0, 5, 10]
    weights = snapshots[-1].weights["cross-attention"]
    assert weights.shape == (1, 4, 5, 6)
    assert weights.sum(-1) == pytest.approx(1.0, abs=1e-5)
    mean = sum(read_info(tmp_path / "reverse-live-seed-0").training["losses"])
    assert told[4]["loss"] == pytest.approx(mean, abs=1e-4)  # one point: of the ten steps


def test_the_last_snapshot_is_of_the_model_that_is_kept(tmp_path):
    told = run(tmp_path, Plan(longest=4, steps=2, warmup=2, snapshot_every=2))
    snapshot = read_snapshot(about(told, "snapshot")[-1])
    checkpoint = load_checkpoint(tmp_path / "reverse-live-seed-0")
    tokenizers = checkpoint.info.tokenizers
    source = torch.tensor([tokenizers.encode_source("reverse 3 1 4 1").ids])
    target = torch.tensor([tokenizers.encode_target("1 4 1 3").ids[:-1]])
    own = checkpoint.model(source, target).decoder.layers[0].cross_attn.weights.numpy()
    # The file has half precision.
    assert snapshot.weights["cross-attention"] == pytest.approx(own, abs=3e-3)


@pytest.mark.slow
def test_stopped_before_its_first_step_it_starts_again(tmp_path):
    plan = Plan(longest=4, steps=1, warmup=2)
    assert run(tmp_path, plan, stop_after=0)[-1] == {"done": 0}
    told = run(tmp_path, plan)
    assert "setup" in told[1]
    assert told[-1] == {"done": 1}


@pytest.mark.slow
def test_a_power_cut_loses_no_more_than_what_came_after_the_last_look(tmp_path):
    """Nothing was put away at the end: what was told of later steps is forgotten with them."""
    plan = Plan(longest=4, steps=13, warmup=2, snapshot_every=6)

    class PowerCutError(Exception):
        """Ends the process in the middle of a step."""

    def cut(values):
        if values.get("step") == 10:
            raise PowerCutError

    plan.write(tmp_path)
    with pytest.raises(PowerCutError):
        train(tmp_path, lambda: False, cut)
    with (tmp_path / "told.jsonl").open("ab") as file:
        file.write(b'{"step": 11, "lo')
    assert load_checkpoint(tmp_path / plan.name).info.training["step"] == 6
    told = run(tmp_path, plan)
    assert (told[0], told[-1]) == ({"resumed": 6}, {"done": 13})
    record = Record(tmp_path).read()
    assert [values["step"] for values in about(record, "snapshot")] == [0, 6, 12]
    assert [values["step"] for values in record if "step" in values] == [10]


def test_one_folder_is_trained_in_once_at_a_time(tmp_path):
    Plan().write(tmp_path)
    lock_file(tmp_path).write_text(str(os.getppid()))
    with pytest.raises(LockedError, match=f"held by process {os.getppid()}"):
        train(tmp_path, lambda: True, lambda _: None)


def test_the_process_watches_its_input_before_it_imports_anything_slow():
    slow = {"torch", "streamlit", "sklearn"}
    script = f"import sys, viz.subjects.training.worker; assert not {slow!r} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", script], check=True)
