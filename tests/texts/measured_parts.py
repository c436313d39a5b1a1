"""Measures of the first model's parts: sizes, heads, a feed-forward network, positions."""

import numpy as np
import torch

from model.traces import present
from tests.texts.measured import FIRST, RUNS, answer, readings, step_of
from viz.lessons.lesson import HeadName
from viz.lessons.places import find_head


def size(name: str) -> int:
    """Return a size of the first model, by its name in the configuration."""
    return int(getattr(RUNS.checkpoint(FIRST).info.config, name))


def size_of_heads_less_model() -> int:
    """Return the size of all heads' queries together, minus the size of a word's vector."""
    return size("n_heads") * size("d_k") - size("d_model")


def layer_of(head: HeadName) -> int:
    return find_head(RUNS.checkpoint(FIRST), head)[0]


def layers_between(head: HeadName, other: HeadName) -> int:
    return layer_of(other) - layer_of(head)


def weights_together(lesson: str, one: int, other: int) -> float:
    """Return the sum of two steps' answers: weights of one row in two heads."""
    return sum(answer(lesson, number) for number in (one, other))


def share_of_feed_forward() -> float:
    """Return the feed-forward network's share of the first encoder layer's parameters."""
    layer = "encoder.layers.0."
    sizes = {
        name.removeprefix(layer): part.numel()
        for name, part in RUNS.checkpoint(FIRST).model.named_parameters()
        if name.startswith(layer)
    }
    inside = sum(size for name, size in sizes.items() if name.startswith("feed_forward."))
    return inside / sum(sizes.values())


def share_above_zero() -> float:
    """Return the share of positive hidden numbers in the first encoder feed-forward network."""
    found = [
        present(present(present(reading.trace.encoder).layers[0].feed_forward).hidden)[0] > 0
        for reading in readings(FIRST)
    ]
    return float(torch.cat(found).double().mean())


def share_of_random_above_zero() -> float:
    return float((np.random.default_rng(0).normal(size=10_000) > 0).mean())


def encodings() -> torch.Tensor:
    """Return the positional encodings of 64 positions (64, d_model)."""
    embedding = present(RUNS.checkpoint(FIRST).model.source_embedding)
    return embedding.positions(0, 64).detach().double()


def likeness(one: int, other: int) -> float:
    return float(encodings()[one] @ encodings()[other])


def likeness_differs(apart: int) -> float:
    """Return the largest difference of dot products between positions equally far apart."""
    found = [likeness(place, place + apart) for place in range(64 - apart)]
    return max(found) - min(found)


def nearest_places() -> float:
    """Return the distance between the two most similar positions."""
    each = torch.cdist(encodings(), encodings())
    return float((each + torch.eye(64) * 99).min())


def places_apart(lesson: str, number: int) -> float:
    one, other = present(step_of(lesson, number).answer).numbers
    return other - one
