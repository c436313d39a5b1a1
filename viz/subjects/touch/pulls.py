"""Finds a line of attention that is worth pulling: the word that is written follows it."""

from itertools import islice
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float

from model.intervention import Intervention, edits_of
from model.tokenizer import SPECIAL_TOKENS
from model.transformer import Transformer
from sample_data.tasks import TASKS
from viz.run.record import Run, all_heads

WEIGHTS = "decoder.layers.*.cross_attn.weights"
"""Of all layers of cross-attention."""
_MOST_TRIED = 16


class Pull(NamedTuple):
    """A row of cross-attention, and two keys: the one that it reads most, and another."""

    row: int
    held: int
    to: int


def telling_pull(run: Run, model: Transformer) -> Pull | None:
    """Find a pull after which the row writes what the other key's own row wrote.

    Nouns come first, where parts of speech are known. None where no pull that is tried does so.
    """
    for pull, wanted in islice(_candidates(run), _MOST_TRIED):
        if _writes(run, model, pull) == wanted:
            return pull
    return None


def shares(run: Run) -> Float[np.ndarray, "target source"]:
    """Average the weights of all heads of all layers of cross-attention."""
    return np.nan_to_num(all_heads(run, "cross-attention").mean(axis=(0, 1)))


def _candidates(run: Run) -> list[tuple[Pull, int]]:
    weights, tokens = shares(run), run.source.tokens
    written = [step.token for step in run.steps]
    held = weights.argmax(axis=1)
    said = run.target_tokens[1:]
    rows = [r for r in range(len(held)) if _is_word(tokens[held[r]]) and _is_word(said[r])]

    def place(row: int) -> tuple[bool, bool, float]:
        read = tokens[held[row]]
        return not _is_noun(run, read), read == said[row], -float(weights[row, held[row]])

    rows.sort(key=place)
    return [
        (Pull(row, int(held[row]), int(held[other])), written[other])
        for row in rows
        for other in rows
        if held[row] != held[other] and written[row] != written[other]
    ]


@torch.inference_mode()
def _writes(run: Run, model: Transformer, pull: Pull) -> int:
    device = next(model.parameters()).device
    made = Intervention("point", WEIGHTS, rows=(pull.row,), columns=(pull.to,))
    ids = list(run.target_ids[: pull.row + 1])
    source = torch.tensor([run.source.ids], device=device)
    target = torch.tensor([ids], device=device)
    return int(model(source, target, edits=edits_of([made], model)).logits[0, -1].argmax())


def _is_word(token: str) -> bool:
    return token not in SPECIAL_TOKENS and any(map(str.isalnum, token))


def _is_noun(run: Run, token: str) -> bool:
    task = TASKS.get(run.info.task)
    classes = task.source_classes() if task and task.source_classes else {}
    return classes.get(token, "").startswith("noun")
