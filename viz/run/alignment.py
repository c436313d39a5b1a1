"""The gold alignment of a run, where its source is known and its target is the right one."""

from model.backend import join_byte_pairs
from model.corpus import make_example
from model.tokenizer import BOS_ID
from sample_data.gold import find_gold
from viz.run.cached import cached
from viz.run.record import Run

known_pair = cached(find_gold)
"""The right pair of a task's source, worked out once: None where there is none."""


def gold_links(run: Run) -> frozenset[tuple[int, int]] | None:
    """Give the gold alignment as (row of the decoder, source position).

    The row is the one that writes the target token, so it is also the index of its step. None where
    the sample data do not know the source, or where another target was written.
    """
    gold = known_pair(run.info.task, _known_source(run))
    if gold is None:
        return None
    example = make_example(run.info.tokenizers, gold.source, gold.target, gold.alignment)
    written = (BOS_ID, *(step.token for step in run.steps))
    if example.source != run.source.ids or example.target != written:
        return None
    return frozenset((target - 1, source) for source, target in example.alignment)


def _known_source(run: Run) -> str:
    """Write the source as the task does: of words, those that the tokenizer made of what was typed.

    So "doesn't" is "does not", and what it does not know is known to nobody.
    """
    kind = run.info.tokenizers.source.kind
    if kind == "character":
        return run.source_text
    name = run.info.tokenizers.source.token  # as the task names it: what is carried over is shown
    tokens = [
        name(i)
        for i, unit in zip(run.source.ids, run.source.units, strict=True)
        if unit is not None
    ]
    return " ".join(join_byte_pairs(tokens) if kind == "bpe" else tokens)
