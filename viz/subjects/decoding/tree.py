"""The tree of a beam, and what each of its hypotheses read of the source."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from model.beam import BeamStep, path
from model.tokenizer import BOS_ID
from model.traces import present
from model.transformer import Transformer
from viz.run.record import Run
from viz.subjects.decoding.paths import source_ids

MOST_NODES = 1500
"""Hypotheses that are drawn."""
MOST_ROW_WEIGHTS = 4_000_000
"""Cross-attention weights of all hypotheses together."""


@dataclass(frozen=True, eq=False)
class TreeReading:
    """Rows of cross-attention, one for each hypothesis that others go on from."""

    rows: dict[int | None, int]
    """Id of the parent -> its row: children share it, as one pass of the decoder wrote them all."""
    cross_weights: Float[np.ndarray, "row layer head source"]


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
    run: Run, model: Transformer, search: tuple[BeamStep, ...], device: str = "cpu"
) -> TreeReading | None:
    """Run the decoder on what stands before each hypothesis; None where that is too much to send.

    Hypotheses of one step have equally many tokens before them, so each step is one batch.
    """
    config = run.info.config
    parents = [sorted({h.parent for h in s.hypotheses}, key=lambda p: p or 0) for s in search]
    count = sum(map(len, parents))
    size = config.n_decoder_layers * config.n_heads * len(run.source.ids)
    if count * size > MOST_ROW_WEIGHTS:
        return None
    source = source_ids(run, device)
    memory, mask = present(run.trace.encoder).output.to(device), model.source_mask(source)
    rows: dict[int | None, int] = {}
    found: list[np.ndarray] = []
    for ids in parents:
        before = [() if parent is None else path(search, parent) for parent in ids]
        targets = torch.tensor([(BOS_ID, *one) for one in before], device=device)
        _, decoder = model.decode(
            targets, memory.expand(len(ids), -1, -1), source_mask=mask, edits=run.edits
        )
        last = [present(layer.cross_attn).weights[:, :, -1] for layer in decoder.layers]
        found.append(torch.stack(last, dim=1).cpu().numpy())
        for parent in ids:
            rows[parent] = len(rows)
    return TreeReading(rows, np.concatenate(found))
