"""Ablation: how much a number changes when parts of a model are cut out."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from loupe.aligned import mean_of
from loupe.effects import Effects, numbered
from loupe.ids import Text, texts_of
from loupe.metrics import Metric, all_numbers_of
from loupe.native import Opened, Reading
from loupe.options import for_each, texts_in
from loupe.renamed import renamed
from loupe.runners import Found, Numbers, Runner, logits_in, own, runner_of, tensor_in
from model.attribution.cuts import Evens, Means, captured, cut_edits, mean_outputs
from model.attribution.sublayers import How, Part, check_how
from model.edits import Edits
from model.text.corpus import Example
from model.text.text_corpus import TextExample
from model.traces import present


def ablate(
    model: "Opened | nn.Module",
    text: Text | Sequence[Text],
    metric: Metric | list[Metric],
    *,
    how: How = "zero",
    dataset: Sequence[Text] | None = None,
    target: Text | Sequence[Text] | None = None,
    tokenizer: object = None,
    over: Sequence[Text] | None = None,
) -> Effects:
    """Cut every head and every sublayer in turn, and measure by how much a metric changes.

    Args:
        model: As in `patch`.
        text: The model's input; for a list of texts the effects are averaged.
        metric: The number to measure, as in `patch`.
        how: The replacement for an output: zeros; its mean over some texts and all of their
            positions (Wang et al. 2022, 2211.00593); or the output with even attention weights.
        dataset: The texts over which to average; by default those of `text`.
        target: The text that a translation model has written so far; by default, the model writes
            its own.
        tokenizer: As in `patch`.
        over: The old name of `dataset`.

    Returns:
        The change of the metric, in its own unit, with shape (sublayer head). The last column is
        for the whole sublayer; a sublayer without heads has NaN in the other columns.

    Raises:
        TypeError: If the model is of another kind, or `dataset` is one text instead of a list.
        ValueError: If `how` is another word, if a dataset is given without `how="mean"`, if a text
            has no token, or if the vocabulary lacks a token.
    """
    check_how(how)
    dataset = renamed("over", over, "dataset", dataset)
    if dataset is not None and how != "mean":
        raise ValueError(f'dataset needs how="mean"; with how={how!r} Loupe takes no mean')
    runner = runner_of(model, tokenizer)
    given = texts_of(text)
    texts = texts_in("text", given) if isinstance(given, list) else [given]
    if not texts:
        raise ValueError("text must be one text or a list of at least one, got an empty list")
    measures = all_numbers_of(runner, metric, len(texts))
    aims = for_each("target", texts_of(target), len(texts))
    readings = [runner.read(each, aim) for each, aim in zip(texts, aims, strict=True)]
    means = None
    if how == "mean":
        others = readings
        if dataset is not None:
            others = [runner.read(each) for each in texts_in("dataset", dataset)]
        if not others:
            raise ValueError("dataset must hold at least one text, got an empty list")
        means = _means(runner, others)
    each = zip(readings, measures, strict=True)
    return mean_of([_ablated(runner, *both, how, means) for both in each])


def _ablated(
    runner: Runner, reading: Reading, measure: Numbers, how: How, means: Means | None
) -> Effects:
    with torch.no_grad():
        plain = runner.run(reading)
        before = float(measure(logits_in(plain)[0]))
    rows = runner.sublayers(plain)
    rows = rows or runner.attentions(plain)
    cut = list(_parts(runner, plain, rows, how))
    evens = _evens(plain, rows) if how == "even" and runner.config is None else None

    def edits_of(some: Sequence[Part]) -> Edits:
        return cut_edits(runner.config, [(part,) for part in some], how, means, evens=evens)

    found = runner.numbers(reading, cut, edits_of, measure)
    heads = max((part.head + 1 for part in cut if part.head is not None), default=0)
    values = torch.full((len(rows), heads + 1), math.nan, dtype=found.dtype)
    for part, value in zip(cut, found, strict=True):
        values[rows.index(part.sublayer), -1 if part.head is None else part.head] = value - before
    return Effects(values, ("sublayer", "head"), (tuple(rows), (*numbered(heads), "all")), before)


def _parts(runner: Runner, plain: Found, rows: Sequence[str], how: How) -> Iterator[Part]:
    """Yield each sublayer that this replacement fits, followed by its heads."""
    names = set(runner.names(plain))
    for path in rows:
        attends = f"{path}.heads" in names
        if attends if how == "even" else f"{path}.output" in names:
            yield Part(path)
        if attends:
            heads = tensor_in(plain, f"{path}.heads").size(1)
            yield from (Part(path, head) for head in range(heads))


def _evens(plain: Found, rows: Sequence[str]) -> Evens:
    """Make even weights over the keys that each row may read, from the masks of a pass."""
    made = {}
    for path in rows:
        if not path.endswith("feed_forward"):
            weights, mask = (tensor_in(plain, f"{path}.{part}") for part in ("weights", "mask"))
            mask = mask if mask.dim() == 4 else mask.unsqueeze(1)
            allowed = mask.expand(weights[:1].shape).to(weights)[0]
            made[path] = allowed / allowed.sum(dim=-1, keepdim=True).clamp(min=1)
    return made


def _means(runner: Runner, readings: Sequence[Reading]) -> Means:
    """Average the output of each head and each sublayer, over texts and their positions."""
    if runner.config is not None:
        return mean_outputs(own(runner).model, [_example(each) for each in readings])
    sums: dict[Part, Tensor] = {}
    counts: dict[Part, int] = defaultdict(int)
    for reading in readings:
        with torch.no_grad():
            found = runner.run(reading)
        rows = runner.sublayers(found) or runner.attentions(found)
        for part in _parts(runner, found, rows, "mean"):
            value = tensor_in(found, captured(part, "mean"))
            value = value if part.head is None else value[:, part.head]
            sums[part] = sums.get(part, 0) + value.sum(dim=(0, 1))
            counts[part] += value.size(0) * value.size(1)
    return {part: total / counts[part] for part, total in sums.items()}


def _example(reading: Reading) -> Example | TextExample:
    if reading.source and reading.written:
        return Example(reading.source, reading.written)
    return TextExample(present(reading.source or reading.rows))
