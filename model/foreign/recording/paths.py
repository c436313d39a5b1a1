"""The modules of a model, by name."""

from collections.abc import Mapping

from torch import nn

Paths = Mapping[nn.Module, str]
"""The modules of a model and their names in it."""
