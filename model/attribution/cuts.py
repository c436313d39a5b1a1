"""Cuts of parts of a model, and the edits that make many of them in one batch.

A cut removes a head or a whole sublayer. Row i of the batch has cut i, and everything after the cut
is computed again. Nothing is stored on the model.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from model.attribution.sublayers import Cut, How, Part, check_how, parts
from model.config import TransformerConfig
from model.edits import NO_EDITS, Edit, Edits
from model.masks import causal_mask
from model.text.corpus import Example, pad
from model.text.text_corpus import TextExample
from model.traces import find_tensor
from model.training.evaluation import groups_of_one_size
from model.transformer import Transformer

Evens = Mapping[str, Float[Tensor, "head query key"]]
"""Attention weights, by attention path, that are equal for all keys that a row may read."""
Means = Mapping[Part, Float[Tensor, " size"]]
"""The average output of each head (d_v) and of each sublayer (d_model)."""


def cut_edits(
    config: TransformerConfig | None,
    cuts: Sequence[Cut],
    how: How = "zero",
    means: Means | None = None,
    base: Edits = NO_EDITS,
    evens: Evens | None = None,
) -> Edits:
    """Make the edits of a batch whose row i has cut i, after other edits of the model.

    For `even`, a model without a config needs the even weights of its attentions. Raises ValueError
    for `mean` without means, `even` on a part without weights, or an unknown `how`.
    """
    check_how(how)
    placed: dict[str, list[tuple[int, Part]]] = defaultdict(list)
    for row, cut in enumerate(cuts):
        for each in cut:
            placed[captured(each, how)].append((row, each))
    made = {name: _replace(config, found, how, means, evens) for name, found in placed.items()}
    return base.then(Edits(made))


def cut_everywhere(
    config: TransformerConfig, cut: Cut, how: How = "zero", means: Means | None = None
) -> Edits:
    """Make the edits of one cut in every row of a batch of any size.

    Raises ValueError as `cut_edits` does.
    """
    check_how(how)

    def edit(name: str, value: Tensor) -> Tensor:
        return cut_edits(config, [cut] * len(value), how, means).apply(name, value)

    return Edits({name: partial(edit, name) for name in {captured(each, how) for each in cut}})


@torch.inference_mode()
def mean_outputs(model: Transformer, examples: Sequence[Example | TextExample]) -> Means:
    """Average the output of each head and each sublayer, over texts and their positions."""
    sums: dict[Part, Tensor] = {}
    counts: dict[Part, int] = defaultdict(int)
    for texts in _batches(model, examples):
        trace = model(*texts)
        for part in parts(model.config):
            value = find_tensor(trace, captured(part, "mean"))
            value = value if part.head is None else value[:, part.head]
            sums[part] = sums.get(part, 0) + value.sum(dim=(0, 1))
            counts[part] += value.size(0) * value.size(1)
    return {part: total / counts[part] for part, total in sums.items()}


def _batches(
    model: Transformer, examples: Sequence[Example | TextExample]
) -> Iterator[tuple[Tensor | None, Tensor | None]]:
    """Batch the inputs of encoder and decoder, with texts of equal length together."""
    by_length: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for example in examples:
        if isinstance(example, TextExample):
            by_length[len(example.ids)].append(example.ids)
    for same in by_length.values():
        ids = pad(same).to(model.device)
        yield (None, ids) if model.config.has_decoder else (ids, None)
    for group in groups_of_one_size([e for e in examples if isinstance(e, Example)]):
        source, target = pad([e.source for e in group]), pad([e.target for e in group])
        yield source.to(model.device), target[:, :-1].to(model.device)


def captured(each: Part, how: How) -> str:
    """Return the name of the tensor that a cut of a part changes."""
    if how == "even":
        if not each.is_attention:
            raise ValueError(f"{each.sublayer} has no attention weights to make uniform")
        return f"{each.sublayer}.weights"
    return f"{each.sublayer}.output" if each.head is None else f"{each.sublayer}.heads"


def _replace(
    config: TransformerConfig | None,
    placed: Sequence[tuple[int, Part]],
    how: How,
    means: Means | None,
    evens: Evens | None,
) -> Edit:
    """Make an edit that replaces some rows of the batch, or heads in them."""
    if how == "mean" and means is None:
        raise ValueError("a cut to the mean needs the means, got none")
    sublayer = placed[0][1].sublayer

    def edit(value: Tensor) -> Tensor:
        value = value.clone()
        whole = [row for row, part in placed if part.head is None]
        for row, part in placed:
            if part.head is not None:
                value[row, part.head] = fill(value, part)
        if whole:
            value[torch.tensor(whole, device=value.device)] = fill(value, Part(sublayer))
        return value

    def fill(value: Tensor, part: Part) -> Tensor | float:
        if how == "even" and config is not None:
            return even_weights(value, **_masks_of(config, sublayer)._asdict())
        if how == "even":
            even = (evens or {})[sublayer].to(value)
            return even if part.head is None else even[part.head]
        return means[part].to(value) if how == "mean" and means is not None else 0.0

    return edit


def even_weights(
    weights: Float[Tensor, "batch head query key"], *, causal: bool, window: int = 0
) -> Float[Tensor, "query key"]:
    """Return equal weights for all keys that each row may read, if there is no padding.

    With a cache, the queries are the last of the key positions.
    """
    queries, keys = weights.shape[-2:]
    allowed = allowed_keys(queries, keys, causal=causal, window=window).to(weights)
    return allowed / allowed.sum(dim=-1, keepdim=True)


def allowed_keys(
    queries: int, keys: int, *, causal: bool, window: int = 0
) -> Bool[Tensor, "query key"]:
    """Return which keys each query may read, if there is no padding (section 3.2.3)."""
    if not causal:
        return torch.ones(queries, keys, dtype=torch.bool)
    return causal_mask(queries, past=keys - queries, window=window)[0]


class _Masks(NamedTuple):
    """The masks that hide keys of an attention by position alone."""

    causal: bool
    window: int


def _masks_of(config: TransformerConfig, attention: str) -> _Masks:
    reads_itself = attention.startswith("decoder") and "self" in attention
    is_causal = config.causal_mask and reads_itself
    return _Masks(is_causal, config.window if is_causal else 0)
