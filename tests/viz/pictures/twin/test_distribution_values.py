"""The values that the browser's distribution is tested against equal PyTorch's.

`python -m tests.viz.pictures.twin.test_distribution_values` rewrites them.
"""

import itertools
import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch

from model.decoding.distribution import sampling_distribution

FILE = Path(__file__).with_name("distribution.json")
TEMPERATURES = (0.05, 0.7, 1.0, 2.5)
TOP_K = (0, 1, 4)
TOP_P = (0.3, 0.9, 1.0)


def rows_of_logits() -> list[list[float]]:
    generator = torch.Generator().manual_seed(5)
    random = [3 * torch.randn(12, generator=generator) for _ in range(2)]
    ties = torch.tensor([1.0, 3, 3, 0, 3, 1, -2, 1, -torch.inf])
    return [row.tolist() for row in (*random, ties, torch.zeros(6))]


def values() -> list[dict[str, Any]]:
    """Return each case with its result; JSON has no infinity, so it has null for -inf."""
    cases = itertools.product(rows_of_logits(), TEMPERATURES, TOP_K, TOP_P)
    return [
        {
            "logits": [None if math.isinf(logit) else logit for logit in logits],
            "temperature": temperature,
            "topK": top_k,
            "topP": top_p,
            "probabilities": sampling_distribution(
                torch.tensor(logits), temperature=temperature, top_k=top_k or None, top_p=top_p
            ).tolist(),
        }
        for logits, temperature, top_k, top_p in cases
    ]


def test_the_values_are_those_of_the_model():
    written = json.loads(FILE.read_text(encoding="utf-8"))
    for case, expected in zip(written, values(), strict=True):
        probabilities = expected.pop("probabilities")
        assert case.pop("probabilities") == pytest.approx(probabilities, abs=1e-12)
        assert case == expected


if __name__ == "__main__":
    FILE.write_text(json.dumps(values()) + "\n", encoding="utf-8")
