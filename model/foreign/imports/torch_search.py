"""Embeddings, positions and generator of a module, found by the values that they give in a run."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from jaxtyping import Float, Int
from torch import Tensor, nn

from model.config import Output, Positions
from model.positions import fixed_positions

_FORMULAS: tuple[Positions, ...] = ("none", "sinusoidal", "sinusoidal_halves", "double_sine")
_EQUAL, _ROUNDED = 2e-6, 2e-5
"""Shares of the largest number by which equal ones may differ; and a formula, which was computed in
single precision."""


@dataclass(frozen=True, eq=False)
class FoundEmbedding:
    """How ids become what a stack reads."""

    weight: Float[Tensor, "vocab d_model"]
    scaled: bool
    """Multiplied by sqrt(d_model)."""
    positions: Positions
    learned: Float[Tensor, "length d_model"] | None
    """The module's own table, where no formula gives it."""


@dataclass(frozen=True, eq=False)
class FoundGenerator:
    """How the last hidden states become what the module gives."""

    weight: Float[Tensor, "vocab d_model"]
    bias: Float[Tensor, " vocab"] | None
    output: Output


def find_embedding(
    module: nn.Module, ids: Int[Tensor, "batch position"], x: Float[Tensor, "batch position d"]
) -> FoundEmbedding:
    """Find the embedding, scale and positions whose sum is `x`.

    Raises ValueError where none is.
    """
    d_model = x.size(-1)
    weights = list(_tables(module, d_model, rows=int(ids.max()) + 1))
    for weight in weights:
        for scale in (1.0, math.sqrt(d_model)):
            rest = x - scale * weight[ids]
            if not _close(rest, rest[:1].expand_as(rest), x, _ROUNDED):
                continue
            for kind, table in _positions(module, d_model, ids.size(1)):
                limit = _EQUAL if kind in ("none", "learned") else _ROUNDED
                if _close(rest[0], table[: ids.size(1)].to(x.device), x, limit):
                    learned = table if kind == "learned" else None
                    return FoundEmbedding(weight, scale != 1.0, kind, learned)
    raise ValueError(
        "what the stack reads must be the embedding of each id, once or sqrt(d_model) times, plus "
        "sinusoids, a table of positions or nothing; no embedding and no table of this module give "
        f"it ({len(weights)} embeddings tried). A norm or a map between them cannot be followed"
    )


def find_generator(
    module: nn.Module, hidden: Float[Tensor, "batch position d"], result: Tensor
) -> FoundGenerator | None:
    """Find the map that makes the module's result of hidden states; None where none does."""
    for weight, bias in _maps(module, hidden.size(-1)):
        logits = nn.functional.linear(hidden, weight, bias)
        kinds: dict[Output, Tensor] = {
            "logits": logits,
            "log_softmax": logits.log_softmax(dim=-1),
            "softmax": logits.softmax(dim=-1),
        }
        for kind, made in kinds.items():
            if gives(result, made):
                return FoundGenerator(weight, bias, kind)
    return None


def gives(result: Tensor, made: Float[Tensor, "batch position n"]) -> bool:
    """Return whether a result is what was made of hidden states, in either order of the axes."""
    orders = [made, made.transpose(0, 1)] + ([made[0]] if len(made) == 1 else [])
    return any(
        result.shape == order.shape and _close(result, order, made, _ROUNDED) for order in orders
    )


def _close(one: Tensor, other: Tensor, scale: Tensor, share: float) -> bool:
    limit = share * max(1.0, scale.abs().max().item())
    return bool((one - other).abs().max() <= limit)


def _tables(module: nn.Module, d_model: int, rows: int) -> Iterator[Tensor]:
    for part in module.modules():
        if not isinstance(part, nn.Embedding) or part.embedding_dim != d_model:
            continue
        if part.num_embeddings >= rows:
            yield part.weight.detach()


def _positions(module: nn.Module, d_model: int, length: int) -> Iterator[tuple[Positions, Tensor]]:
    for kind in _FORMULAS:
        if kind == "none" or d_model % 2 == 0:
            yield kind, fixed_positions(kind, length, d_model)
    for tensor in (*module.parameters(), *module.buffers()):
        flat = tensor.detach().squeeze()
        if flat.dim() == 2 and flat.size(1) == d_model and len(flat) >= length:
            yield "learned", flat


def _maps(module: nn.Module, d_model: int) -> Iterator[tuple[Tensor, Tensor | None]]:
    for part in module.modules():
        if isinstance(part, nn.Linear) and part.in_features == d_model:
            yield part.weight.detach(), None if part.bias is None else part.bias.detach()
        elif isinstance(part, nn.Embedding) and part.embedding_dim == d_model:
            yield part.weight.detach(), None
