"""Begin a training with the weights of another model, as far as the two agree."""

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
"""Parameters with a row for each token of a side."""


@torch.no_grad()
def take_weights(model: Transformer, tokenizers: Tokenizers, start: Checkpoint) -> str:
    """Copy into a model what another one has by the same name and shape, and say what that was.

    The rows of tokens go to the same tokens, whatever their ids; embeddings that only one of the
    two multiplies by sqrt(d_model) are changed by as much. All else keeps its first weights.
    """
    given = start.model.state_dict()
    first_names: dict[int, str] = {}
    rows: dict[str, set[int]] = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        first = first_names.setdefault(id(tensor), name)  # tied ones have several
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
    """Return the ids of the tokens that both have, here and there."""
    known = {token: id for id, token in enumerate(theirs.all_tokens)}
    here = [id for id, token in enumerate(ours.all_tokens) if token in known]
    return here, [known[ours.all_tokens[id]] for id in here]


def _ratio(name: str, theirs: Transformer, ours: Transformer) -> float:
    """Return what rows are multiplied by, so that the embedded token is the same."""
    part = name.removesuffix(".weight")
    if not part.endswith("embedding"):
        return 1.0
    return getattr(theirs, part).scale / getattr(ours, part).scale
