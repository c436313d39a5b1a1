"""Transformers models with widely spread weights, so that a mistake changes the numbers."""

import torch
import transformers
from torch import nn


def made(kind: str, config: str, **settings: object) -> nn.Module:
    """Return a transformers model with random weights, given its class and config class."""
    torch.manual_seed(0)
    model = getattr(transformers, kind)(getattr(transformers, config)(**settings))
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.2)
    return model.eval()
