"""Scores of heads: weight on the token before, and on the tokens after earlier copies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Literal, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from loupe.effects import Effects, numbered
from loupe.ids import Text, texts_of
from loupe.native import Opened, Reading
from loupe.options import texts_in
from loupe.random_texts import SHORTER, repeated
from loupe.runners import Found, Runner, runner_of, tensor_in
from model.attribution.copying import (
    LEAST_SHARE,
    LEAST_TIMES,
    HeadReading,
    Share,
    followers_of,
    read_heads,
)
from model.attribution.patched_cells import is_of_source
from model.attribution.repeated_tokens import mean_share
from model.traces import present

_Half = Literal["on_copies", "on_previous"]
_SAID: dict[_Half, str] = {
    "on_copies": "on the tokens that followed earlier copies of the row's own",
    "on_previous": "on the token before the row's own",
}


@dataclass(frozen=True, eq=False, repr=False)
class HeadScores(Effects):
    """Scores of each head on some texts: `values` are means of its weight on certain tokens."""

    each: Float[Tensor, "layer head"] = field(kw_only=True)
    """The mean weight on one of these tokens."""
    others: Float[Tensor, "layer head"] = field(kw_only=True)
    """The mean weight on one of the other tokens that the row may read."""
    texts: tuple[tuple[int, ...], ...] = field(kw_only=True)
    """The ids of the texts."""
    of: str = field(kw_only=True)
    """Which tokens count, in words."""

    @property
    def counts(self) -> Bool[Tensor, "layer head"]:
        """Mark the heads with enough weight to say that they do this, as *Two heads* does.

        Such a head puts at least `LEAST_SHARE` of its weight on these tokens, and on each of them
        at least `LEAST_TIMES` times as much as on another token.
        """
        return (self.values >= LEAST_SHARE) & (self.each >= LEAST_TIMES * self.others)

    def __repr__(self) -> str:
        head, *lines = super().__repr__().splitlines()
        count = int(self.counts.sum())
        sizes = head.partition(";")[0]
        rule = (
            f"at least {LEAST_SHARE:g} of its weight there, and on each of these tokens "
            f"{LEAST_TIMES} times as much as on another"
        )
        verdict = (
            "no head does" if not count else "1 head does" if count == 1 else f"{count} heads do"
        )
        said = f"{sizes}: mean weight {self.of}, over {len(self.texts)} texts"
        return "\n".join((said, *lines, f"{verdict} this by the rule: {rule}"))


def induction_scores(
    model: "Opened | nn.Module",
    *,
    inputs: Sequence[Text] | None = None,
    length: int | None = None,
    count: int = 4,
    seed: int = 0,
    vocabulary: int | Sequence[int] | None = None,
    tokenizer: object = None,
) -> HeadScores:
    """Measure how much each head reads the tokens after earlier copies of the current token.

    The text is random tokens, repeated: a model can know of the second half only that it repeats
    the first (Olsson et al. 2022, 2209.11895). In row t of the second half, the token that
    followed the earlier copy is at t - length + 1. The score is the mean weight on it.

    Args:
        model: As in `patch`.
        inputs: Texts, or ids of texts, instead of random ones: only rows whose token occurred
            before count.
        length: Number of random tokens, repeated once: 50, or as many as the model has room for.
        count: Number of texts to average over.
        seed: Seed of the random tokens.
        vocabulary: Ids from which tokens are drawn, or their number, from 0 on; by default those of
            the model without special ones.
        tokenizer: As in `patch`, for `inputs` that are texts.

    Returns:
        The mean weight (layer head), with `counts`, which marks the heads whose weight suffices to
        call them induction heads, and the `texts` of the measurement.

    Raises:
        TypeError: If the model is of another kind.
        ValueError: If the model has no self-attention, if the vocabulary is unknown or too small,
            or if the model has no room for the length.
    """
    drawn = _Drawn(length, count, seed, vocabulary)
    return _measured(model, inputs, drawn, tokenizer, "on_copies")


def previous_token_scores(
    model: "Opened | nn.Module",
    *,
    inputs: Sequence[Text] | None = None,
    length: int | None = None,
    count: int = 4,
    seed: int = 0,
    vocabulary: int | Sequence[int] | None = None,
    tokenizer: object = None,
) -> HeadScores:
    """Measure how much each head reads the token before its own.

    Takes the arguments of `induction_scores`, and returns the mean weight (layer head) on the token
    before, over all rows that have one.
    """
    drawn = _Drawn(length, count, seed, vocabulary)
    return _measured(model, inputs, drawn, tokenizer, "on_previous")


class _Drawn(NamedTuple):
    """The options for drawing random texts."""

    length: int | None
    texts: int
    seed: int
    vocabulary: int | Sequence[int] | None


def _measured(
    model: "Opened | nn.Module",
    inputs: Sequence[Text] | None,
    drawn: _Drawn,
    tokenizer: object,
    half: _Half,
) -> HeadScores:
    """Measure a model on given texts, or on random ones that it has room for."""
    for name, number, least in (("length", drawn.length, 2), ("count", drawn.texts, 1)):
        if number is not None and (type(number) is not int or number < least):
            raise ValueError(f"{name} must be {least} or more, got {number!r}")
    runner = runner_of(model, tokenizer)
    if inputs is not None:
        found = texts_of(inputs)
        texts = texts_in("inputs", found if isinstance(found, list) else [found])
        return _scores(runner, [runner.read(text) for text in texts], half)
    lengths = [drawn.length] if drawn.length else [None, *SHORTER]
    while True:
        readings = repeated(runner, *drawn._replace(length=lengths.pop(0)))
        try:
            return _scores(runner, readings, half)
        except (IndexError, RuntimeError) as error:  # a table of positions may end before
            if not lengths:
                size = len(present(readings[0].rows or readings[0].source))
                raise ValueError(
                    f"the model cannot read {size} tokens ({error}): give a smaller length, or "
                    "vocabulary="
                ) from error


@torch.no_grad()
def _scores(runner: Runner, readings: Sequence[Reading], half: _Half) -> HeadScores:
    names: tuple[str, ...] = ()
    measured: list[list[list[Share]]] = []
    specials = runner.specials
    for reading in readings:
        found = runner.run(reading)
        names = tuple(_self_attentions(runner, found))
        if not names:
            raise ValueError("this model has no self-attention over the tokens of its text")
        of_text: list[list[HeadReading]] = [
            _readings(found, name, reading, specials) for name in names
        ]
        measured.append([list(map(attrgetter(half), heads)) for heads in of_text])
    heads = max(len(each) for each in measured[0])

    scores = {
        (i, j): mean_share(shares)
        for i, of_layer in enumerate(zip(*measured, strict=True))
        for j, shares in enumerate(zip(*of_layer, strict=True))
    }

    def part(name: str) -> Tensor:
        values = torch.full((len(names), heads), torch.nan, dtype=torch.float64)
        for place, share in scores.items():
            values[place] = getattr(share, name)
        return values

    return HeadScores(
        part("weight"),
        ("layer", "head"),
        (names, numbered(heads)),
        0.0,
        each=part("each"),
        others=part("others"),
        texts=tuple(present(each.rows or each.source) for each in readings),
        of=_SAID[half],
    )


def _self_attentions(runner: Runner, found: Found) -> Iterator[str]:
    """Yield the names of the weights of those attentions that read their own text."""
    for path in runner.attentions(found):
        weights = tensor_in(found, f"{path}.weights")
        if "cross_attn" not in path and weights.size(-1) == weights.size(-2):
            yield f"{path}.weights"


def _readings(
    found: Found, name: str, reading: Reading, specials: frozenset[int]
) -> list[HeadReading]:
    weights = tensor_in(found, name)[0].cpu().double().numpy()
    mask = tensor_in(found, f"{name.removesuffix('weights')}mask")[0]
    mask = mask.any(dim=0) if mask.dim() == 3 else mask
    size = weights.shape[-1]
    allowed = mask.expand(size, size).sum(dim=-1).cpu().numpy()
    ids = reading.source if is_of_source(name) or reading.rows is None else reading.rows
    followers = followers_of(present(ids), specials)
    return list(read_heads(np.nan_to_num(weights)[None], followers, allowed))
