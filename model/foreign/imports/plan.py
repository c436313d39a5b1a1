"""Checks a folder's weights against its config before anything is loaded."""

import fnmatch
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from model.config import TransformerConfig
from model.files.json_fields import shorten
from model.foreign.imports.family import Family
from model.foreign.imports.folder import Folder
from model.foreign.imports.memory import Estimate, estimate
from model.foreign.imports.settings import NotComputedError
from model.foreign.imports.tensor_files import FLOATS, Stored
from model.foreign.imports.writing_rules import read_rules
from model.memory.meta_models import numberless
from model.transformer import Transformer
from model.writing import NO_RULES, WritingRules

MOST_LAYERS = 64
MOST_HEADS = 64
MOST_WORDS = 300_000
_WIDEST = 1 << 16
_LONGEST = 1 << 20


@dataclass(frozen=True)
class Plan:
    """A config that fits the folder's weights, and an estimate of their memory."""

    is_recorded: ClassVar[bool] = False
    """Whether transformers' code computes the model."""

    family: Family
    config: TransformerConfig
    estimate: Estimate
    rules: WritingRules

    @property
    def title(self) -> str:
        """The name of the family."""
        return self.family.title


class TakenWeights(Mapping[str, Tensor]):
    """The tensors of a folder, each made on access; records which ones were accessed.

    `same` are names of one weight; any of them finds it under the name that the folder has.
    """

    def __init__(
        self,
        tensors: Mapping[str, Stored],
        make: Callable[[str, Stored], Tensor],
        same: Collection[str] = (),
    ) -> None:
        self._tensors = tensors
        self._make = make
        self._same = same
        self.taken: set[str] = set()

    def __getitem__(self, name: str) -> Tensor:
        name = self._stored_as(name)
        stored = self._tensors[name]
        self.taken.add(name)
        return self._make(name, stored)

    def _stored_as(self, name: str) -> str:
        """Return the name under which the folder has a weight: its own or another one in `same`."""
        if name in self._tensors or name not in self._same:
            return name
        return next(filter(self._tensors.__contains__, self._same), name)

    def __contains__(self, name: object) -> bool:  # does not make the tensor
        return name in self._tensors

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)


def plan(folder: Folder) -> Plan:
    """Read the config, and check all names and shapes against it, from headers alone.

    Raises ValueError, in a sentence, if they do not fit.
    """
    config = _config(folder)
    weights = TakenWeights(folder.tensors, _without_numbers, folder.family.same(config))
    try:
        taken = folder.family.take(weights, config)
    except KeyError as error:
        raise ValueError(_missing(str(error.args[0]), config)) from error
    except (RuntimeError, IndexError) as error:
        raise ValueError(
            f"its weights do not have the shapes that its config describes: {error}"
        ) from error
    _refuse_left_over(folder.family, folder.tensors.keys() - weights.taken)
    model = model_without_numbers(config)
    check_taken(taken, model)
    held = [taken[next(filter(taken.__contains__, names))] for names in parameter_names(model)]
    rules = NO_RULES
    if config.has_decoder:
        rules = read_rules(folder.writing, vocab_size=config.target_vocab_size)
    return Plan(folder.family, config, estimate(held), rules)


def model_without_numbers(config: TransformerConfig) -> Transformer:
    """Build the model on the meta device, where it takes no memory at any size."""
    with numberless():
        return Transformer(config).eval().requires_grad_(False)


def parameter_names(model: Transformer) -> list[tuple[str, ...]]:
    """List the names of each parameter; a parameter that parts share has several."""
    names: dict[int, tuple[str, ...]] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        names[id(parameter)] = (*names.get(id(parameter), ()), name)
    return list(names.values())


def check_taken(taken: Mapping[str, Tensor], model: Transformer) -> None:
    """Raise ValueError unless these tensors are all parameters of a model, in its shapes.

    One name is enough for parameters that parts share.
    """
    for names in parameter_names(model):
        if not taken.keys() & set(names):
            raise ValueError(
                f"its config describes {names[0]}, but its weights have no such tensor"
            )
    expected = dict(model.named_parameters(remove_duplicate=False))
    for name, tensor in taken.items():
        if name not in expected:
            raise ValueError(f"its weights have {name}, but its config describes no such tensor")
        if tensor.shape != expected[name].shape:
            raise ValueError(
                f"{name} has the shape {_shape(tensor)}, but its config describes "
                f"{_shape(expected[name])}: config.json belongs to another model, or was changed"
            )


def _config(folder: Folder) -> TransformerConfig:
    try:
        config = folder.family.describe(folder.config, folder.tensors.keys())
    except (TypeError, OverflowError, ZeroDivisionError) as error:
        raise ValueError(f"config.json does not describe a possible model: {error}") from error
    _check_sizes(config, len(folder.tensors))
    return config


def _check_sizes(config: TransformerConfig, n_tensors: int) -> None:
    n_layers = config.n_encoder_layers + config.n_decoder_layers
    n_words = max(config.source_vocab_size, config.target_vocab_size)
    for what, size, most in (
        ("layers", n_layers, MOST_LAYERS),
        ("heads", config.n_heads, MOST_HEADS),
        ("tokens in its vocabulary", n_words, MOST_WORDS),
        ("dimensions", max(config.d_model, config.d_ff, config.d_k), _WIDEST),
        ("positions", config.max_length, _LONGEST),
    ):
        if size > most:
            raise ValueError(f"it has {size:,} {what}; Loupe can show at most {most:,}")
    if n_layers > n_tensors:
        raise ValueError(
            f"its config describes {n_layers} layers, but it has only {n_tensors} tensors"
        )


def _without_numbers(name: str, stored: Stored) -> Tensor:
    if stored.dtype not in FLOATS:
        raise ValueError(
            f"its weight {shorten(name)} is {stored.dtype}; Loupe reads only {', '.join(FLOATS)}"
        )
    return torch.empty(stored.shape, dtype=FLOATS[stored.dtype], device="meta")


def _missing(name: str, config: TransformerConfig) -> str:
    n_layers = config.n_encoder_layers + config.n_decoder_layers
    return (
        f"its weights have no {shorten(name)}, which its config describes ({n_layers} layers): "
        "config.json belongs to another model, or the copy is incomplete"
    )


def _refuse_left_over(family: Family, names: set[str]) -> None:
    left = sorted(n for n in names if not any(fnmatch.fnmatchcase(n, p) for p in family.buffers))
    if left:
        more = f" and {len(left) - 1:,} more" if len(left) > 1 else ""
        raise NotComputedError(
            f"its weights have {shorten(left[0])}{more}, which no part of Loupe's "
            f"{family.title} uses: without them, the results would not be those of this model"
        )


def _shape(tensor: Tensor) -> str:
    return " × ".join(map(str, tensor.shape))
