"""Paths that the worker beside the page writes equal those of Python with the same model."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch

from model.checkpoints.checkpoint import Checkpoint
from model.checkpoints.weights import stored_tensors
from model.decoding.greedy import greedy, sample
from model.decoding.steps import DecodingStep
from model.foreign.imports.load import open_folder
from model.traces import present
from tests.model.foreign.imports.folders import write_gpt2, write_llama
from tests.node import told_by
from tests.viz.pictures.twin.passes import MOST_OFF
from viz.run.codes import encode_weights

SCRIPT = Path(__file__).with_name("paths.js")
TEXT = "The fox jumps"
ROOM = 7
GREEDY = {"mode": "Greedy", "drawn": {"temperature": 1, "topK": 0, "topP": 1}, "seed": 0}
SHAPED = {"temperature": 1.3, "topK": 40, "topP": 0.9}
DRAWN = {"mode": "Sampling", "drawn": SHAPED, "seed": 11}
BEST = {"mode": "Sampling", "drawn": {"temperature": 1, "topK": 1, "topP": 1}, "seed": 3}
MODELS = pytest.mark.parametrize("write", [write_gpt2, write_llama])


def told(folder: Path, opened: Checkpoint, tasks: list[dict[str, Any]]) -> dict[str, Any]:
    weights = {name: t.contiguous() for name, t in stored_tensors(opened.model).items()}
    safetensors.torch.save_file(weights, folder / "stored.safetensors")
    rules, specials = opened.model.rules, opened.info.tokenizers.target.specials
    said = {"first": rules.first, "last": rules.last, "never": rules.never}
    asked = {
        "weights": str(folder / "stored.safetensors"),
        "config": opened.info.config.to_dict(),
        "writing": {"start": specials.start, "stops": [*specials.ends], "rules": said},
        "tasks": tasks,
    }
    return told_by(SCRIPT, asked)


def ids_of(opened: Checkpoint) -> list[int]:
    return list(opened.info.tokenizers.target.encode(TEXT).ids)


def task(read: list[int], strategy: dict[str, Any] = GREEDY, **other: Any) -> dict[str, Any]:
    """Return a writing task with default values."""
    usual = {"do": "write", "model": {}, "begins": [], "known": [], "room": ROOM}
    return usual | {"read": {"ids": read}, "strategy": strategy, "temperatures": [0.5, 1.0]} | other


def by_python(
    opened: Checkpoint,
    read: list[int],
    begins: list[int],
    write: Callable[..., Any],
    room: int = ROOM,
) -> list[DecodingStep]:
    prompt = read[1:]
    prefix = begins or prompt
    ends = opened.info.tokenizers.target.specials.ends
    longest = max(len(prompt), len(prefix)) + room
    how = {"prefix": prefix, "prompt": len(prompt), "bos_id": read[0], "eos_id": ends}
    return list(write(opened.model, None, max_length=longest, **how))


def hold(answer: dict[str, Any], steps: list[DecodingStep], n_prompt: int) -> None:
    """Compare tokens, probabilities and ranks, except for logits too close to tell apart."""
    assert answer["ids"] == [step.token for step in steps]
    assert answer["prompt"] == n_prompt
    assert answer["text"] == " ".join(map(str, answer["ids"][n_prompt:]))
    sent = answer["sent"]
    logits = np.array(answer["logit"]).reshape(-1, sent)
    ids = np.array(answer["id"]).reshape(-1, sent)
    for i, step in enumerate(steps):
        theirs = step.logits.numpy()
        room = MOST_OFF * float(np.abs(theirs).max())
        np.testing.assert_allclose(logits[i], np.sort(theirs)[::-1][:sent], atol=room)
        np.testing.assert_allclose(logits[i], theirs[ids[i]], atol=room)
        assert len(set(ids[i].tolist())) == sent
        mine = theirs[step.token]
        assert (theirs > mine + room).sum() < answer["ranks"][i] <= (theirs >= mine - room).sum()
        assert answer["logs"][i] == pytest.approx(step.log_probability, abs=2 * room)


def hold_codes(answer: dict[str, Any], opened: Checkpoint, read: list[int]) -> None:
    """Compare each step's weights with those of one pass over the finished text."""
    with torch.inference_mode():
        target = torch.tensor([[read[0], *answer["ids"][:-1]]])
        layers = present(opened.model(None, target).decoder).layers
    weights = torch.cat([layer.self_attn.weights for layer in layers]).numpy()
    codes = encode_weights(weights, np.tri(len(answer["ids"]), dtype=bool)).ravel()
    assert np.abs(np.array(answer["code"]) - codes.astype(int)).max() <= 2


@MODELS
def test_greedy_and_sampled_paths_are_python_s(write: Callable[[Path], Path], tmp_path: Path):
    opened = open_folder(write(tmp_path / "folder"))
    read = ids_of(opened)
    prompt = read[1:]
    drawn = partial(sample, temperature=1.3, top_k=40, top_p=0.9, seed=11)
    own = by_python(opened, read, [], greedy)
    taken = own[len(prompt) + 1].candidates(3)[2].token
    begins = [*prompt, own[len(prompt)].token, taken]
    inside = [*prompt[:1], (prompt[1] + 1) % 300]
    before = [step.token for step in by_python(opened, read, [], drawn)]
    tasks = [
        task(read),
        task(read, DRAWN),
        task(read, BEST),
        task(read, begins=begins),
        task(read, do="forks", begins=begins),
        task(read, begins=inside),
        task(read, DRAWN, room=ROOM + 5, known=before),
    ]
    found = told(tmp_path, opened, tasks)
    first, sampled, best, branch, forks, apart, more = found["answers"]
    hold(first, own, len(prompt))
    hold_codes(first, opened, read)
    assert not first["finished"]
    assert first["isOpen"]
    hold(sampled, by_python(opened, read, [], drawn), len(prompt))
    assert best["ids"] == first["ids"]
    hold(branch, by_python(opened, read, begins, greedy), len(prompt))
    assert forks == [len(begins) - 1]
    assert apart["ids"][: len(inside)] == inside
    assert apart["prompt"] == 1
    hold(more, by_python(opened, read, [], drawn, ROOM + 5), len(prompt))
    assert [number for number, _ in found["ends"]] == [0, 1]
    assert ["aborted" in said for _, said in found["ends"]] == [True, False]
