"""The learning rate of training (section 5.3 of the paper)."""


def noam_rate(step: int, *, d_model: int, warmup: int, factor: float = 1.0) -> float:
    """Compute the rate of optimiser step `step`, counted from 1 (equation 3, times a factor).

    It grows linearly for `warmup` steps and then falls with the inverse square root of the step.
    """
    if step < 1 or warmup < 1:
        raise ValueError(f"step and warmup count from 1, got {step} and {warmup}")
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def peak_rate(*, d_model: int, warmup: int, factor: float = 1.0) -> float:
    """Return the highest rate of the schedule, reached at step `warmup`."""
    return noam_rate(warmup, d_model=d_model, warmup=warmup, factor=factor)
