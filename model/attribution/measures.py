"""All measures of the input's effect on a token, by name: for each row, a number per token."""

from collections.abc import Sequence
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from model.attribution.gradients import Integrated, gradient_times_input
from model.attribution.logits import direct_by_source
from model.attribution.parts import find_attention, vector_norms
from model.attribution.passes import Pass
from model.traces import AttentionTrace, TransformerTrace, present
from model.transformer import Transformer

Seen = Literal["attention", "vectors", "direct"]
"""The measures computed from a trace."""
Run = Literal["gradient", "integrated", "swapped"]
"""The measures that need further runs of the model."""
Measure = Literal[Seen, Run]
MEASURES: tuple[Measure, ...] = (*get_args(Seen), *get_args(Run))


@torch.inference_mode()
def measure_trace(
    model: Transformer, trace: TransformerTrace, written: Sequence[int]
) -> dict[Measure, Float[Tensor, "row source"]]:
    """Measure all rows at once from a run's last attention to the text.

    Args:
        model: The model of the run.
        trace: The trace of one sentence, on the CPU.
        written: The id that each row wrote.
    """
    stack = "decoder" if trace.decoder else "encoder"
    layers = trace.stack_of("target" if trace.decoder else "source").layers
    last, name = layers[-1], f"{stack}.layers.{len(layers) - 1}"
    if not model.config.has_cross_attention:
        return _of_attention(model, f"{name}.self_attn", last.self_attn)
    across = present(present(trace.decoder).layers[-1].cross_attn)
    return {
        **_of_attention(model, f"{name}.cross_attn", across),
        "direct": direct_by_source(model, trace, tuple(written)),
    }


def _of_attention(
    model: Transformer, name: str, trace: AttentionTrace
) -> dict[Measure, Float[Tensor, "row source"]]:
    return {
        "attention": trace.weights[0].mean(dim=0),
        "vectors": vector_norms(find_attention(model, name), trace),
    }


def measure_again(
    asked: Pass, integrated: Integrated, others: Sequence[Sequence[int]] | None = None
) -> dict[Measure, Float[Tensor, "row source"]]:
    """Measure some rows by running the model again.

    Args:
        asked: The rows.
        integrated: The integrated gradients of these rows.
        others: For each source position, the ids that replace its token; None if no suitable words
            are known.
    """
    found: dict[Measure, Float[Tensor, "row source"]] = {
        "gradient": gradient_times_input(asked),
        "integrated": integrated.values,
    }
    if others is not None:
        found["swapped"] = swapped(asked, others)
    return {name: values.cpu() for name, values in found.items()}


@torch.inference_mode()
def swapped(asked: Pass, others: Sequence[Sequence[int]]) -> Float[Tensor, "row source"]:
    """Replace each source token by other tokens, and average the cost.

    The cost is the log-probability, in nats, of the token that the row writes with the original
    source, minus the one with the replacement. It is above 0 if the original token helped.

    Args:
        asked: The rows.
        others: For each source position, the ids of the replacements; the result is NaN if there
            are none.
    """
    whole = asked.log_probabilities(asked.source[None])
    found = whole.new_full((len(asked.rows), len(asked.source)), torch.nan)
    places = [place for place, ids in enumerate(others) for _ in ids]
    if not places:
        return found
    sources = asked.source.repeat(len(places), 1)
    ids = asked.source.new_tensor([id for chosen in others for id in chosen])
    sources[range(len(places)), places] = ids
    parts = [asked.log_probabilities(some) for some in sources.split(asked.most_at_once)]
    drops, at = (whole - torch.cat(parts)).T, torch.tensor(places, device=found.device)
    for place in set(places):
        found[:, place] = drops[:, at == place].mean(dim=1)
    return found
