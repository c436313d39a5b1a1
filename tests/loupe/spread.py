"""Models of transformers whose weights are spread, so that a slip shows."""

import torch
import transformers
from torch import nn


def made(kind: str, config: str, **settings: object) -> nn.Module:
    """Return a model of random weights by the names of its class and its config."""
    torch.manual_seed(0)
    model = getattr(transformers, kind)(getattr(transformers, config)(**settings))
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.2)
    return model.eval()
