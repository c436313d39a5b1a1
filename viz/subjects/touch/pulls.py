"""Finds a line of attention that is worth pulling, because the written word changes with it."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from jaxtyping import Float

from model.interventions.kinds import Intervention, edits_of
from model.traces import present
from sample_data.tasks import source_classes
from viz.run.axes import AttentionKind, all_heads
from viz.run.record import Run

if TYPE_CHECKING:  # only for types
    from model.transformer import Transformer

_MOST_TRIED = 16


class Pull(NamedTuple):
    """A row of attention, and two of its keys: the one that it reads most, and another.

    The row is one of cross-attention, or of self-attention in a model that reads one text.
    """

    row: int
    held: int
    to: int


def telling_pull(run: Run, model: "Transformer") -> Pull | None:
    """Find a pull after which the row writes the word that the other key's own row wrote.

    Tries nouns first, if parts of speech are known. Returns None if no tried pull does so.
    """
    if not run.anatomy.translates:
        return _any_pull(run, model)
    for pull, wanted in islice(_candidates(run), _MOST_TRIED):
        if _writes(run, model, pull) == wanted:
            return pull
    return None


def _any_pull(run: Run, model: "Transformer") -> Pull | None:
    """Find a pull in a model of one text after which its row writes or predicts another word."""
    weights, tokens = shares(run), run.texts[run.anatomy.sides[0]]
    own = run.target_ids[1:] if run.steps else present(run.trace.logits)[0].argmax(-1).tolist()
    for row, other in islice(_places(run, weights, tokens), _MOST_TRIED):
        pull = Pull(row, int(weights[row].argmax()), other)
        if _writes(run, model, pull) != own[row]:
            return pull
    return None


def _places(
    run: Run, weights: Float[np.ndarray, "row key"], tokens: tuple[str, ...]
) -> Iterator[tuple[int, int]]:
    """List rows that write after a prompt, in order, each with words that it could read.

    In an encoder-only model, these are the rows of all words.
    """
    specials = run.info.tokenizers.target.specials.all
    ids = run.target_ids if run.steps else run.source.ids
    last = len(weights)
    rows = range(run.n_prompt, last) if run.steps else range(last)
    for row in rows:
        held = int(weights[row].argmax())
        seen = range(row + 1) if run.steps else range(last)
        said = ids[row + 1] if run.steps else ids[row]
        for key in sorted(seen, key=lambda key: weights[row, key]):
            other = key not in (held, row) and ids[key] not in (*specials, said)
            if other and _is_word(run, tokens[key]):
                yield row, key


def shares(run: Run, kind: AttentionKind | None = None) -> Float[np.ndarray, "query key"]:
    """Average the weights of all heads of one kind, by default the pulled kind."""
    return np.nan_to_num(all_heads(run, kind or run.anatomy.names[-1]).mean(axis=(0, 1)))


def _candidates(run: Run) -> list[tuple[Pull, int]]:
    weights, tokens = shares(run), run.source.tokens
    written = [step.token for step in run.steps]
    held = weights.argmax(axis=1)
    said = run.target_tokens[1:]
    rows = [
        r for r in range(len(held)) if _is_word(run, tokens[held[r]]) and _is_word(run, said[r])
    ]

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
def _writes(run: Run, model: "Transformer", pull: Pull) -> int:
    device = next(model.parameters()).device
    site = run.anatomy.sites[-1]
    weights = f"{site.stack}.layers.*.{site.part}.weights"
    made = Intervention("point", weights, rows=(pull.row,), columns=(pull.to,))
    source = target = None
    if run.info.config.has_encoder:
        source = torch.tensor([run.source.ids], device=device)
    if run.info.config.has_decoder:
        target = torch.tensor([run.target_ids[: pull.row + 1]], device=device)
    logits = present(model(source, target, edits=edits_of([made], model)).logits)
    return int(logits[0, -1 if run.steps else pull.row].argmax())


def _is_word(run: Run, token: str) -> bool:
    known = run.info.tokenizers.target
    return token not in known.tokens(known.specials.all) and any(map(str.isalnum, token))


def _is_noun(run: Run, token: str) -> bool:
    return source_classes(run.info.task).get(token, "").startswith("noun")
