"""The gold alignment of a run, if its source is known and its target is the correct one."""

from typing import TYPE_CHECKING

from model.text.corpus import make_example
from model.text.encoding import Encoding
from sample_data.gold import find_gold, makes_sense
from sample_data.pairs import Pair
from viz.run.record import Run
from viz.run.result_cache import cached

if TYPE_CHECKING:
    from model.checkpoints.metadata import CheckpointInfo

Links = frozenset[tuple[int, int]]
"""A gold alignment: (row of cross-attention, source position)."""

known_pair = cached(find_gold)
"""The correct pair for a source of a task, computed once; None if the source is unknown."""
_makes_sense = cached(makes_sense)


def gold_links(run: Run) -> frozenset[tuple[int, int]] | None:
    """Return the gold alignment as (row of the decoder, source position).

    The row is the one that writes the target token, so it is also the index of its step. None if
    the sample data do not know the source, or if another target was written.
    """
    if not run.anatomy.translates:
        return None
    gold = _known(run.info, run.source_text, run.source)
    if gold is None:
        return None
    example = make_example(run.info.tokenizers, gold.source, gold.target, gold.alignment)
    if example.source != run.source.ids or example.target != run.target_ids:
        return None
    return frozenset((target - 1, source) for source, target in example.alignment)


def right_target(info: "CheckpointInfo", text: str, source: Encoding) -> str | None:
    """Return the correct target of a typed source, with the words that it copies."""
    gold = _known(info, text, source)
    tokens = info.tokenizers.source.all_tokens
    carried = {tokens[source.ids[word.index]]: word.text for word in source.copied}
    return " ".join(carried.get(word, word) for word in gold.target.split(" ")) if gold else None


def could_be_drawn(info: "CheckpointInfo", text: str) -> bool:
    """Return whether a typed source belongs to its task and its words make sense together."""
    source = info.tokenizers.encode_source(text)
    return _makes_sense(info.task, info.tokenizers.as_written(source, text))


def _known(info: "CheckpointInfo", text: str, source: Encoding) -> Pair | None:
    return known_pair(info.task, info.tokenizers.as_written(source, text))
