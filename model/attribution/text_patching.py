"""Activation patching between two texts, for a model that reads one text."""

from collections.abc import Sequence

import torch

from model.attribution.patched_cells import Cell, stages
from model.attribution.patching import Contest, PatchingError
from model.attribution.sublayers import sublayers
from model.config import TransformerConfig
from model.traces import present
from model.transformer import Transformer
from texts import say


@torch.inference_mode()
def text_contest(
    model: Transformer,
    clean: Sequence[int],
    corrupt: Sequence[int],
    row: int = -1,
    answers: tuple[int, int] | None = None,
) -> Contest:
    """Pair two texts, with the two tokens that are compared in one row.

    By default each token is the model's prediction for its text. Raises PatchingError if the texts
    have different lengths, or if the two predictions are equal.
    """
    if len(clean) != len(corrupt):
        raise PatchingError(say("mattered.other_size", clean=len(clean), corrupt=len(corrupt)))
    if answers is None:
        ids = torch.tensor([clean, corrupt], device=model.device)
        trace = model(ids, None) if model.config.has_encoder else model(None, ids)
        answer, other = present(trace.logits)[:, row].argmax(dim=-1).tolist()
        answers = answer, other
    if answers[0] == answers[1]:
        raise PatchingError(say("mattered.same_answer"))
    pairs = tuple(range(len(corrupt)))
    return Contest(tuple(clean), tuple(corrupt), (), *answers, pairs, row)


def text_cells(config: TransformerConfig, size: int) -> tuple[Cell, ...]:
    """List each stage of the residual stream at each position, and each head at all positions.

    Each head, and each whole attention, has two cells: its result and its attention pattern.
    """
    names = text_stages(config)
    found = [Cell("state", name, None, place) for name in names for place in range(size)]
    attentions = [part.sublayer for part in sublayers(config) if part.is_attention]
    heads = range(config.n_heads)
    for each in attentions:
        found += [Cell("z", f"{each}.heads", head, None) for head in heads]
        found.append(Cell("output", f"{each}.output", None, None))
    for each in attentions:
        found += [Cell("row", f"{each}.weights", head, None) for head in (*heads, None)]
    return tuple(found)


def text_stages(config: TransformerConfig) -> tuple[str, ...]:
    """Name the residual stream, with one state per layer if layers consist of attention only."""
    found = stages(config)
    same = {name.replace("after_self_attn", "output") for name in found if not config.d_ff}
    return tuple(name for name in found if name not in same or "embedding" in name)
