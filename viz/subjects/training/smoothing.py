"""Label smoothing (section 5.4): the loss of a prediction under a smoothed target."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from viz.run.record import Run


class TokenLoss(NamedTuple):
    """What one token of a run would have cost in training."""

    token: str
    probability: float
    """That the model gives to the token."""
    loss: float
    """Smoothed cross-entropy of the model's whole distribution, in nats."""


def loss_at(
    probability: Float[np.ndarray, " point"], size: int, smoothing: float
) -> Float[np.ndarray, " point"]:
    """Smoothed loss where the right id gets a probability and the others share the rest evenly.

    No other prediction that gives the right id this much has a smaller loss. In nats.
    """
    right = 1 - smoothing + smoothing / size
    wrong = (1 - probability) / (size - 1)
    return -right * np.log(probability) - (size - 1) * smoothing / size * np.log(wrong)


def best_probability(size: int, smoothing: float) -> float:
    """Return the probability of the right id at which the smoothed loss is smallest."""
    return 1 - smoothing + smoothing / size


def least_loss(size: int, smoothing: float) -> float:
    """Return the smallest smoothed loss that there is: the entropy of the target distribution.

    `smoothing` is spread evenly over all ids, the right one among them, as in torch.
    """
    target = np.full(size, smoothing / size)
    target[0] += 1 - smoothing
    positive = target[target > 0]
    return float(-(positive * np.log(positive)).sum())


def token_losses(run: Run, smoothing: float) -> tuple[TokenLoss, ...]:
    """Score each token that a run wrote, taken as the right one, in double precision."""
    found = []
    for step, token in zip(run.steps, run.target_tokens[1:], strict=True):
        logits = step.logits.double().numpy()
        logs = logits - logits.max()
        logs = logs - np.log(np.exp(logs).sum())
        loss = -(1 - smoothing) * logs[step.token] - smoothing * logs.mean()
        found.append(TokenLoss(token, float(np.exp(logs[step.token])), float(loss)))
    return tuple(found)
