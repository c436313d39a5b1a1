"""The tree of a beam, and what each of its hypotheses read of the source, or of a prompt."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from model.decoding.beam import BeamStep, path
from model.traces import DecoderLayerTrace
from model.transformer import Transformer
from viz.run.record import Run
from viz.subjects.decoding.paths import source_ids

MOST_NODES = 1500
"""Hypotheses that are drawn."""
MOST_ROW_WEIGHTS = 4_000_000
"""Weights of all hypotheses together."""


@dataclass(frozen=True, eq=False)
class TreeReading:
    """Rows of cross-attention, one for each hypothesis that others go on from.

    Where no encoder reads a source, rows of self-attention: what they read of the prompt.
    """

    rows: dict[int | None, int]
    """Id of the parent -> its row: children share it, as one pass of the decoder wrote them all."""
    cross_weights: Float[np.ndarray, "row layer head source"]


def first_step(search: tuple[BeamStep, ...], n_prompt: int) -> int:
    """Return the first step that is drawn: after a prompt, as nothing was chosen in it."""
    return min(n_prompt, len(search) - 1)


def drawn_steps(search: tuple[BeamStep, ...]) -> int:
    """Count the first steps whose hypotheses can all be drawn."""
    total = 0
    for count, step in enumerate(search):
        total += len(step.hypotheses)
        if total > MOST_NODES:
            return max(1, count)
    return len(search)


@torch.inference_mode()
def read_tree(
    run: Run,
    model: Transformer,
    search: tuple[BeamStep, ...],
    n_prompt: int = 0,
) -> TreeReading | None:
    """Run the decoder on what stands before each hypothesis; None where that is too much to send.

    Hypotheses of one step have equally many tokens before them, so each step is one batch.
    """
    config = run.info.config
    steps = search[first_step(search, n_prompt) :]
    parents = [sorted({h.parent for h in s.hypotheses}, key=lambda p: p or 0) for s in steps]
    count = sum(map(len, parents))
    columns = len(run.source.ids) if config.has_encoder else n_prompt + 1
    size = config.n_decoder_layers * config.n_heads * columns
    if count * size > MOST_ROW_WEIGHTS:
        return None
    source = source_ids(run, model)
    memory = mask = None
    if source is not None and run.trace.encoder is not None:
        memory, mask = run.trace.encoder.output.to(model.device), model.source_mask(source)
    rows: dict[int | None, int] = {}
    found: list[np.ndarray] = []
    for ids in parents:
        before = [() if parent is None else path(search, parent) for parent in ids]
        targets = torch.tensor([(run.target_ids[0], *one) for one in before], device=model.device)
        read = None if memory is None else memory.expand(len(ids), -1, -1)
        _, decoder = model.decode(targets, read, source_mask=mask, edits=run.edits)
        last = [_last_row(layer, columns) for layer in decoder.layers]
        found.append(torch.stack(last, dim=1).cpu().numpy())
        for parent in ids:
            rows[parent] = len(rows)
    return TreeReading(rows, np.concatenate(found))


def _last_row(layer: DecoderLayerTrace, columns: int) -> Float[Tensor, "batch head source"]:
    attention = layer.cross_attn or layer.self_attn
    return attention.weights[:, :, -1, :columns]
