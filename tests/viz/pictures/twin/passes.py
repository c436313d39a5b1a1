"""Passes of the JavaScript twin, compared with PyTorch's, tensor by tensor."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import safetensors.torch
import torch

from model.checkpoints.weights import stored_tensors
from model.decoding.greedy import greedy
from model.decoding.steps import DecodingStep
from model.edits import NO_EDITS, Edits
from model.interventions.kinds import Intervention, edits_of
from model.tensor_names import tensor_names
from model.traces import TransformerTrace, find_tensor
from model.transformer import Transformer
from tests.node import told_by

SCRIPT = Path(__file__).with_name("passes.js")
MOST_OFF = 1e-4
"""The tolerance, relative to a tensor's largest magnitude."""
MORE = 8
"""The number of tokens to write after the first one, or after a prompt."""


class Subject(NamedTuple):
    """A model, texts to run with their changes, and the ids that begin and end what it writes."""

    model: Transformer
    cases: Sequence[tuple[Sequence[int], tuple[Intervention, ...]]]
    start: int | None = None
    stops: tuple[int, ...] = ()


class Found(NamedTuple):
    ids: tuple[int, ...]
    logits: np.ndarray
    tensors: dict[str, np.ndarray]


def check(subjects: Mapping[str, Subject], folder: Path, *, kernel: bool = True) -> list[str]:
    """Compare all cases; return those in which two logits were too close to tell apart."""
    close: list[str] = []
    for name, found in told_by_twin(subjects, folder, kernel=kernel).items():
        subject = subjects[name]
        for (read, interventions), ours in zip(subject.cases, found, strict=True):
            about = f"{name}, {list(read)}, {interventions}"
            edits = _edits(subject, read, interventions)
            steps = written_by_torch(subject, read, edits)
            if not _writes_the_same(ours, steps, about):
                close.append(about)
            _check_tensors(ours.tensors, _trace(subject, read, ours.ids, edits), subject, about)
    return close


def told_by_twin(
    subjects: Mapping[str, Subject], folder: Path, *, kernel: bool
) -> dict[str, list[Found]]:
    asked = {"kernel": kernel, "numbersAt": str(folder / "told.f32"), "models": []}
    for number, subject in enumerate(subjects.values()):
        weights = {n: t.detach().contiguous() for n, t in stored_tensors(subject.model).items()}
        file = folder / f"{number}.safetensors"
        safetensors.torch.save_file(weights, file)
        asked["models"].append(_asked(subject, file))
    told = told_by(SCRIPT, asked)
    numbers = np.fromfile(folder / "told.f32", dtype="<f4")
    return dict(zip(subjects, _read(told, numbers), strict=True))


def written_by_torch(subject: Subject, read: Sequence[int], edits: Edits) -> list[DecodingStep]:
    """Decode greedily in PyTorch; return no steps if the model has no decoder."""
    model = subject.model
    if not model.config.has_decoder:
        return []
    prompt = () if model.config.has_encoder else tuple(read)
    first, *rest = prompt or (subject.start,)
    source = torch.tensor([list(read)]) if model.config.has_encoder else None
    how = {"prefix": rest, "prompt": len(rest), "bos_id": first, "eos_id": subject.stops}
    return list(greedy(model, source, max_length=len(rest) + MORE, edits=edits, **how))


def _asked(subject: Subject, file: Path) -> dict[str, Any]:
    rules, config = subject.model.rules, subject.model.config
    said = {"first": rules.first, "last": rules.last, "never": rules.never}
    return {
        "weights": str(file),
        "config": config.to_dict(),
        "writing": {"start": subject.start, "stops": subject.stops, "rules": said},
        "cases": [
            {
                "read": list(read),
                "interventions": [dataclasses.asdict(made) for made in interventions],
                "longest": MORE if config.has_encoder else len(read) - 1 + MORE,
            }
            for read, interventions in subject.cases
        ],
    }


def _read(told: Any, numbers: np.ndarray) -> list[list[Found]]:
    at = 0

    def take(*shape: int) -> np.ndarray:
        nonlocal at
        at += int(np.prod(shape))
        return numbers[at - int(np.prod(shape)) : at].reshape(shape)

    found = []
    for cases in told:
        found.append([])
        for case in cases:
            ids = tuple(case["ids"])
            size = next((shape[-1] for name, *shape in case["traced"] if name == "logits"), 0)
            logits = take(case["steps"], size)
            tensors = {name: take(*shape) for name, *shape in case["traced"]}
            found[-1].append(Found(ids, logits, tensors))
    assert at == len(numbers)
    return found


@torch.inference_mode()
def _trace(
    subject: Subject, read: Sequence[int], ids: Sequence[int], edits: Edits
) -> TransformerTrace:
    config, source = subject.model.config, torch.tensor([list(read)])
    if not config.has_decoder:
        return subject.model(source, None, edits=edits)
    first = subject.start if config.has_encoder else read[0]
    target = torch.tensor([[first, *ids[:-1]]])
    return subject.model(source if config.has_encoder else None, target, edits=edits)


def _edits(subject: Subject, read: Sequence[int], interventions: tuple[Intervention, ...]) -> Edits:
    if not interventions:
        return NO_EDITS
    ids = [step.token for step in written_by_torch(subject, read, NO_EDITS)]
    before = _trace(subject, read, ids, NO_EDITS)
    return edits_of(interventions, subject.model, lambda _, tensor: find_tensor(before, tensor))


def _writes_the_same(ours: Found, steps: Sequence[DecodingStep], about: str) -> bool:
    """Compare ids and logits; return False once the two best logits are too close to tell apart."""
    for step, id, logits in zip(steps, ours.ids, ours.logits, strict=False):
        room = MOST_OFF * step.logits.abs().max().item()
        np.testing.assert_allclose(logits, step.logits, atol=room, rtol=0, err_msg=about)
        best, second = step.logits.topk(2).values.tolist()
        if not step.forced and id != step.token and best - second < 2 * room:
            return False
        assert id == step.token, about
    assert len(ours.ids) == len(steps), about
    return True


def _check_tensors(
    ours: Mapping[str, np.ndarray], trace: TransformerTrace, subject: Subject, about: str
) -> None:
    assert ours.keys() == set(tensor_names(subject.model.config)), about
    for name, numbers in ours.items():
        wanted = find_tensor(trace, name).detach().float().numpy()
        own = wanted if wanted.ndim == 2 else wanted[0]
        held = np.broadcast_to(own if own.ndim == 3 else own[None], numbers.shape)
        largest = np.abs(held, where=np.isfinite(held), out=np.zeros(held.shape)).max()
        said = f"{name} of {about}"
        np.testing.assert_allclose(numbers, held, atol=MOST_OFF * largest, rtol=0, err_msg=said)
