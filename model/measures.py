"""All measures of what mattered for a token, by name: for each row a number a source token."""

from collections.abc import Sequence
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from model import occlusion
from model.gradients import (
    Integrated,
    gradient_times_input,
    linear_gradient_times_input,
)
from model.logit_attribution import direct_by_source
from model.norm_attribution import cross_shares, norm_rollout, value_weighted, vector_norms
from model.parts import find_attention
from model.passes import Pass
from model.rollout import mean_weights, rollout
from model.tokenizer import UNK_ID
from model.traces import TransformerTrace, present
from model.transformer import Transformer

Seen = Literal[
    "head", "attention", "rollout", "values", "vectors", "shares", "norm rollout", "direct"
]
"""What a trace says."""
Run = Literal["gradient", "linear", "integrated", "hidden", "deleted", "unknown", "swapped"]
"""What running the model again says."""
Measure = Literal[Seen, Run]
MEASURES: tuple[Measure, ...] = (*get_args(Seen), *get_args(Run))


@torch.inference_mode()
def measure_trace(
    model: Transformer, trace: TransformerTrace, written: Sequence[int], head: tuple[int, int]
) -> dict[Measure, Float[Tensor, "target source"]]:
    """Measure all rows at once from what a run computed.

    Args:
        model: The one that ran.
        trace: Of one sentence, on the CPU.
        written: The id that each row wrote.
        head: Layer and head of the one whose weights are looked at by themselves.
    """
    last = len(present(trace.decoder).layers) - 1
    attention = present(trace.decoder).layers[last].cross_attn
    module = find_attention(model, f"decoder.layers.{last}.cross_attn")
    layer, number = head
    return {
        "head": present(present(trace.decoder).layers[layer].cross_attn).weights[0, number],
        "attention": mean_weights(trace, last),
        "rollout": rollout(trace).source,
        "values": value_weighted(present(attention)),
        "vectors": vector_norms(module, present(attention)),
        "shares": cross_shares(model, trace, last),
        "norm rollout": norm_rollout(model, trace).source,
        "direct": direct_by_source(model, trace, tuple(written)),
    }


def measure_again(
    asked: Pass,
    others: Sequence[Sequence[int]],
    integrated: Integrated,
    *,
    unk_id: int | None = UNK_ID,
) -> dict[Measure, Float[Tensor, "row source"]]:
    """Measure some rows by running the model again.

    With edits in force no token is deleted: they name positions, and those after it would move.

    Args:
        asked: The rows.
        others: For each source position the ids that are put in its place.
        integrated: Integrated gradients of these rows.
        unk_id: Of an unknown word; a model whose tokens cover all texts has none.
    """
    found: dict[Measure, Float[Tensor, "row source"]] = {
        "gradient": gradient_times_input(asked),
        "linear": linear_gradient_times_input(asked),
        "integrated": integrated.values,
        "hidden": occlusion.hidden(asked),
        "swapped": occlusion.swapped(asked, others),
    }
    if unk_id is not None:
        found["unknown"] = occlusion.unknown(asked, unk_id)
    if not asked.edits.by_name:
        found["deleted"] = occlusion.deleted(asked)
    return {name: found[name].cpu() for name in get_args(Run) if name in found}
