"""Begin a training with the weights of another model, as far as both know the same words."""

import torch

from model.checkpoints.checkpoint import Checkpoint
from model.text.tokenizer import SPECIAL_TOKENS, Tokenizer, Tokenizers, own
from model.transformer import Transformer

_OF_SOURCE = ("source_embedding.weight",)
_OF_TARGET = ("target_embedding.weight", "generator.weight", "generator.bias")
"""Parameters with a row for each word of a side."""


@torch.no_grad()
def take_weights(model: Transformer, tokenizers: Tokenizers, start: Checkpoint) -> None:
    """Copy into a model the weights of another one; what stands for a word goes to the same word.

    Words that the other one does not know keep their first weights.

    Raises:
        ValueError: where the two differ in more than their words.
    """
    given, theirs = start.model.state_dict(), start.info.tokenizers
    for name, tensor in model.state_dict().items():
        if name in _OF_SOURCE:
            here, there = _common_ids(own(tokenizers.source), own(theirs.source))
        elif name in _OF_TARGET:
            here, there = _common_ids(own(tokenizers.target), own(theirs.target))
        else:
            here = there = list(range(len(tensor)))
        found = given.get(name)
        if found is None or found.shape[1:] != tensor.shape[1:] or len(found) <= max(there):
            size = "missing" if found is None else tuple(found.shape)
            raise ValueError(
                f"{start.info.name} cannot be started from: its {name} is {size}, here "
                f"{tuple(tensor.shape)}; only words may differ"
            )
        tensor[here] = found[there].to(tensor)


def _common_ids(ours: Tokenizer, theirs: Tokenizer) -> tuple[list[int], list[int]]:
    """Return the ids of the tokens that both know, here and there."""
    both = [(id, id) for id in range(len(SPECIAL_TOKENS))]
    both += [
        (id, theirs.vocabulary[token])
        for token, id in ours.vocabulary.items()
        if token in theirs.vocabulary
    ]
    here, there = zip(*both, strict=True)
    return list(here), list(there)
