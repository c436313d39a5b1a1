"""What a model of one text loses where a head is cut, and where the other heads look then.

A cut head writes what it writes in the mean over texts and positions (Wang et al. 2022): to write
nothing at all would throw off whatever reads it, however little it tells.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor

from model.attribution.cuts import Part
from model.edits import NO_EDITS, Edits
from model.text.corpus import pad
from model.text.text_corpus import TextExample
from model.training.text_evaluation import TextEvaluation, evaluate_texts, self_attentions
from model.transformer import Transformer

HeadMeans = Mapping[Part, Float[Tensor, " d_v"]]


def text_heads(model: Transformer) -> tuple[Part, ...]:
    """List the heads of a model of one text in the order in which they compute."""
    config = model.config
    stack = "decoder" if config.has_decoder else "encoder"
    layers = config.n_decoder_layers + config.n_encoder_layers
    return tuple(
        Part(f"{stack}.layers.{layer}.self_attn", head)
        for layer in range(layers)
        for head in range(config.n_heads)
    )


@torch.inference_mode()
def mean_heads(model: Transformer, examples: Sequence[TextExample]) -> HeadMeans:
    """Average what each head puts out, over texts and positions; nothing is masked in them."""
    parts = text_heads(model)
    layers, heads = len(parts) // model.config.n_heads, model.config.n_heads
    sums, count = torch.zeros(layers, heads, model.config.d_v), 0
    by_length: dict[int, list[TextExample]] = {}
    for example in examples:
        by_length.setdefault(len(example.ids), []).append(example)
    for group in by_length.values():
        ids = pad([example.ids for example in group]).to(next(model.parameters()).device)
        trace = model(*((None, ids) if model.config.has_decoder else (ids, None)))
        for layer, attention in enumerate(self_attentions(trace)):
            sums[layer] += attention.heads.sum(dim=(0, 2)).cpu()
        count += ids.numel()
    return dict(zip(parts, sums.flatten(end_dim=1) / count, strict=True))


def cut_heads(cut: Sequence[Part], means: HeadMeans) -> Edits:
    """Make the edits that put means in the place of heads, in every text and at every position."""
    by_name: dict[str, list[Part]] = {}
    for part in cut:
        by_name.setdefault(f"{part.sublayer}.heads", []).append(part)
    return Edits({name: partial(_put, parts, means) for name, parts in by_name.items()})


def score_cut(
    model: Transformer, examples: Sequence[TextExample], cut: Sequence[Part], means: HeadMeans
) -> TextEvaluation:
    """Score texts without some heads; the heads that are left tell where they look then."""
    return evaluate_texts(model, examples, edits=cut_heads(cut, means) if cut else NO_EDITS)


def _put(
    parts: Sequence[Part],
    means: HeadMeans,
    heads: Float[Tensor, "batch head query d_v"],
) -> Float[Tensor, "batch head query d_v"]:
    heads = heads.clone()
    for part in parts:
        heads[:, part.head] = means[part].to(heads)
    return heads
