"""How well each measure of attribution agrees with word swaps and with the gold alignment."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from tqdm import tqdm

from model.attribution.gradients import STEPS, integrated_gradients
from model.attribution.measures import measure_again, measure_trace
from model.attribution.passes import Pass
from model.checkpoints.checkpoint import Checkpoint
from model.text.corpus import Example, make_example
from model.traces import present
from sample_data.agreement import POSITION, Agreement, Agreements
from sample_data.pairs import Pair
from sample_data.swaps import swaps_of

SENTENCES = 100
"""The number of held-out sentences measured, the first of the file."""
_LEAST_COST = 0.5
"""The cost in nats that some swap must have for a row to count; else no word matters."""
_LEAST_WORDS = 3
"""The number of words to swap that a source needs for its rows to count."""


@dataclass(eq=False)
class _Counts:
    gold: list[bool] = field(default_factory=list)
    swap: list[bool] = field(default_factory=list)
    rank: list[float] = field(default_factory=list)

    def agreement(self) -> Agreement:
        return Agreement(_mean(self.gold), _mean(self.swap), _mean(self.rank))


def record(checkpoint: Checkpoint, pairs: Sequence[Pair], weights: str) -> Agreements:
    """Measure the correct targets of some pairs in every way. Raises ValueError without pairs."""
    if not pairs:
        raise ValueError("agreement is measured over sentences, got none")
    torch.set_num_threads(1)
    counts: defaultdict[str, _Counts] = defaultdict(_Counts)
    errors: list[float] = []
    for example, measures, swapped, error in _measured(checkpoint, pairs):
        errors += error.abs().tolist()
        gold = _gold_rows(example)
        for name, values in measures.items():
            most = values.nan_to_num(nan=-torch.inf).argmax(dim=-1).tolist()
            if values.isfinite().any():
                counts[name].gold += [most[row] in tokens for row, tokens in gold.items()]
            _compare(counts[name], values, swapped)
    return Agreements(
        weights=weights,
        sentences=len(pairs),
        gold_rows=len(counts[POSITION].gold),
        swap_rows=len(counts[POSITION].swap),
        least_cost=_LEAST_COST,
        steps=STEPS,
        mean_error=round(sum(errors) / len(errors), 4),
        largest_error=round(max(errors), 4),
        measures={name: found.agreement() for name, found in counts.items()},
    )


def _measured(
    checkpoint: Checkpoint, pairs: Sequence[Pair]
) -> Iterator[tuple[Example, dict[str, Tensor], Tensor, Tensor]]:
    """Yield each example, its measures by name, the costs of swaps, and the integration error."""
    model, info = checkpoint.model, checkpoint.info
    swaps = swaps_of(info.task, info.tokenizers.source.vocabulary)
    for pair in tqdm(pairs, desc=info.name, disable=None):
        example = make_example(info.tokenizers, pair.source, pair.target, pair.alignment)
        asked = Pass.of(model, example.source, example.target)
        with torch.inference_mode():
            trace = model(asked.source[None], present(asked.target)[None])
        integrated = integrated_gradients(asked)
        again = measure_again(asked, integrated, [swaps.of(id) for id in example.source])
        seen = measure_trace(model, trace, example.target[1:])
        rows, columns = seen["attention"].shape
        measures: dict[str, Tensor] = {POSITION: _by_position(rows, columns), **seen, **again}
        yield example, measures, measures["swapped"], integrated.error


def _compare(
    counts: _Counts,
    values: Float[Tensor, "row source"],
    swapped: Float[Tensor, "row source"],
) -> None:
    """Compare a measure with the costs of swaps, at the words that can be swapped."""
    can: Bool[Tensor, " source"] = swapped[0].isfinite()
    if can.sum() < _LEAST_WORDS:
        return
    for mine, cost in zip(values[:, can], swapped[:, can], strict=True):
        if cost.max() > _LEAST_COST:
            counts.swap.append(bool(mine.argmax() == cost.argmax()))
            counts.rank.append(_rank_correlation(mine, cost))


def _by_position(rows: int, columns: int) -> Float[Tensor, "row source"]:
    places = torch.arange(rows)[:, None] * (columns - 1) / max(rows - 1, 1)
    return -(places - torch.arange(columns)).abs()


def _gold_rows(example: Example) -> dict[int, set[int]]:
    found: defaultdict[int, set[int]] = defaultdict(set)
    for source, target in example.alignment:
        found[target - 1].add(source)
    return dict(found)


def _rank_correlation(a: Float[Tensor, " word"], b: Float[Tensor, " word"]) -> float:
    ranks = torch.stack([x.argsort().argsort().double() for x in (a, b)])
    return float(torch.corrcoef(ranks)[0, 1])


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
