"""The Noam schedule of the learning rate (section 5.3) beside others that share its peak."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from model.training.schedule import noam_rate, peak_rate

_MOST_POINTS = 400
"""Of a curve: more than the eye tells apart."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a schedule depends on."""

    d_model: int
    warmup: int
    """Steps in which the rate grows."""
    factor: float
    steps: int
    """Length of the training, which the cosine ends with."""

    @property
    def peak(self) -> float:
        """Highest rate of the Noam schedule; those with a warm-up reach the same."""
        return peak_rate(d_model=self.d_model, warmup=self.warmup, factor=self.factor)


def _noam(step: int, setting: Setting) -> float:
    return noam_rate(step, d_model=setting.d_model, warmup=setting.warmup, factor=setting.factor)


def _constant(step: int, setting: Setting) -> float:
    return setting.peak * min(1.0, step / setting.warmup)


def _cosine(step: int, setting: Setting) -> float:
    if step <= setting.warmup:
        return _constant(step, setting)
    left = (step - setting.warmup) / max(1, setting.steps - setting.warmup)
    return setting.peak * 0.5 * (1 + np.cos(np.pi * min(1.0, left)))


def _inverse_root(step: int, setting: Setting) -> float:
    """Return Noam's rate after its warm-up, from the first step on."""
    return noam_rate(step, d_model=setting.d_model, warmup=1, factor=setting.factor)


SCHEDULES: Mapping[str, Callable[[int, Setting], float]] = {
    "noam": _noam,
    "constant": _constant,
    "cosine": _cosine,
    "inverse_root": _inverse_root,
}
"""Rate of a step, counted from 1."""


def shown_steps(setting: Setting) -> Int[np.ndarray, " point"]:
    """Choose the steps at which the curves are drawn: evenly, with the first and the peak."""
    even = np.linspace(1, setting.steps, _MOST_POINTS).round().astype(np.int64)
    early = np.arange(1, min(setting.steps, 40) + 1)
    peak = [setting.warmup] if setting.warmup <= setting.steps else []
    return np.unique(np.concatenate([even, early, peak]).astype(np.int64))


def rates(
    name: str, steps: Int[np.ndarray, " point"], setting: Setting
) -> Float[np.ndarray, " point"]:
    """Compute one schedule at some steps."""
    return np.array([SCHEDULES[name](int(step), setting) for step in steps])
