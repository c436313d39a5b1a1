"""Starts a training from another model's weights wherever the two agree."""

import torch

from model.checkpoints.checkpoint import Checkpoint
from model.text.tokenizer import Tokenizer, Tokenizers, own
from model.transformer import Transformer

_SIDES = {
    "source_embedding.weight": "source",
    "target_embedding.weight": "target",
    "generator.weight": "target",
    "generator.bias": "target",
}
"""The parameters with a row for each token of a side."""


@torch.no_grad()
def take_weights(model: Transformer, tokenizers: Tokenizers, start: Checkpoint) -> str:
    """Copy another model's weights wherever name and shape match, and describe what was copied.

    Embeddings are matched by token, whatever their ids, and rescaled if only one of the two models
    multiplies them by sqrt(d_model). All other weights keep their initial values.
    """
    given = start.model.state_dict()
    first_names: dict[int, str] = {}
    rows: dict[str, set[int]] = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        first = first_names.setdefault(id(tensor), name)  # tied parameters have several names
        taken = rows.setdefault(first, set())
        found = given.get(name)
        if found is None or found.shape[1:] != tensor.shape[1:]:
            continue
        if side := _SIDES.get(name):
            sides = (own(getattr(each, side)) for each in (tokenizers, start.info.tokenizers))
            here, there = _common_ids(*sides)
            tensor[here] = found[there] * _ratio(name, start.model, model)
            taken.update(here)
        elif found.shape == tensor.shape:
            tensor.copy_(found)
            taken.update(range(len(tensor)))
    tables = [
        f"{len(rows[name])} of {len(model.get_parameter(name))} tokens of {name}"
        for name in _SIDES
        if name in rows
    ]
    others = [bool(taken) for name, taken in rows.items() if name not in _SIDES]
    return (
        f"started from {start.info.name}: {', '.join(tables)}; "
        f"{sum(others)} of {len(others)} other tensors"
    )


def _common_ids(ours: Tokenizer, theirs: Tokenizer) -> tuple[list[int], list[int]]:
    """Return the ids of the tokens that both models have, in each of them."""
    known = {token: id for id, token in enumerate(theirs.all_tokens)}
    here = [id for id, token in enumerate(ours.all_tokens) if token in known]
    return here, [known[ours.all_tokens[id]] for id in here]


def _ratio(name: str, theirs: Transformer, ours: Transformer) -> float:
    """Return the factor for rows of an embedding that keeps its scaled vectors the same."""
    part = name.removesuffix(".weight")
    if not part.endswith("embedding"):
        return 1.0
    return getattr(theirs, part).scale / getattr(ours, part).scale
