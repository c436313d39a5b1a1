"""Recorded trainings of deep stacks, with the norm after or before the residual."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from model.training.schedule import peak_rate

RECORD = Path(__file__).parents[3] / "sample_data" / "recorded" / "depth.json"


@dataclass(frozen=True, eq=False)
class DepthRun:
    """One training: how the model differs from the others, and what was recorded."""

    layers: int
    """Of the encoder and of the decoder."""
    norm_placement: str
    """post or pre: after or before the residual."""
    warmup: int
    """1 for none."""
    peak: float
    """Highest learning rate; without a warm-up, the first."""
    losses: Sequence[float]
    """Smoothed cross-entropy in nats, each the mean of `loss_every` steps."""
    gradients: Mapping[int, Mapping[str, Sequence[float]]]
    """By step and stack: the norm of the gradient of each layer, the lowest first."""

    @property
    def name(self) -> str:
        """Name it in links."""
        return f"{self.layers}-{self.norm_placement}-{self.warmup}-{self.peak:.2g}"


@dataclass(frozen=True, eq=False)
class DepthRecord:
    """All trainings of one recording."""

    command: str
    """Makes it again."""
    task: str
    d_model: int
    steps: int
    loss_every: int
    unigram_loss: float
    """Loss of a model that knows only how frequent each token is."""
    runs: tuple[DepthRun, ...]


def read_depth(path: Path = RECORD) -> DepthRecord:
    """Read the recorded trainings."""
    values = json.loads(path.read_text(encoding="utf-8"))
    return DepthRecord(
        command=values["command"],
        task=values["task"],
        d_model=values["d_model"],
        steps=values["steps"],
        loss_every=values["loss_every"],
        unigram_loss=values["unigram_loss"],
        runs=tuple(
            DepthRun(
                layers=run["layers"],
                norm_placement=run["norm_placement"],
                warmup=run["warmup"],
                peak=peak_rate(
                    d_model=values["d_model"], warmup=run["warmup"], factor=run["factor"]
                ),
                losses=run["losses"],
                gradients={int(step): norms for step, norms in run["gradients"].items()},
            )
            for run in values["runs"]
        ),
    )


def first_to_last(run: DepthRun, stack: str, step: int) -> float:
    """Return the gradient of the lowest layer as a part of that of the highest."""
    norms = run.gradients[step][stack]
    return norms[0] / norms[-1]
