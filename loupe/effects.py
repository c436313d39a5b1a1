"""What parts of a model do to a number of its logits: ablation, and the sum of a logit."""

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from loupe.metrics import Metric, Token, by_runs, id_of, logits_of, numbers_of, own, trace_of
from loupe.native import Opened, Reading, read_own, run_own
from loupe.run import Run
from model.attribution.cuts import How, check_how, cut_edits, mean_outputs, parts, sublayers
from model.attribution.logits import addends, split_state
from model.text.corpus import Example
from model.text.text_corpus import TextExample
from model.traces import present

TOLD = 5
"""Largest numbers that a text names."""


@dataclass(frozen=True, eq=False, repr=False)
class Effects:
    """By how much a number changes for each part of a model."""

    values: Float[Tensor, "*axes"]
    """In the unit of the number. NaN where there is nothing to change."""
    axes: tuple[str, ...]
    """What the axes are."""
    labels: tuple[tuple[str, ...], ...]
    """What stands along each axis: captured names, tokens, heads."""
    before: float
    """The number where nothing is changed."""
    goal: float | None = None
    """What it would be if all were changed; None where nobody knows."""

    @property
    def shares(self) -> Float[Tensor, "*axes"]:
        """Shares of the way from `before` to `goal`. Raises ValueError where that has no length."""
        if self.goal is None or self.goal == self.before:
            raise ValueError(f"shares need another goal than {self.before:g}, got {self.goal}")
        return self.values / (self.goal - self.before)

    def strongest(self, count: int = TOLD) -> tuple[tuple[float, tuple[str, ...]], ...]:
        """List the largest values, whatever their sign, each with its labels."""
        flat = self.values.flatten()
        order = flat.abs().nan_to_num(-1).argsort(descending=True, stable=True)[:count]
        return tuple((float(flat[i]), self._labels_of(int(i))) for i in order)

    def _labels_of(self, index: int) -> tuple[str, ...]:
        places = torch.unravel_index(torch.tensor(index), self.values.shape)
        return tuple(names[int(i)] for names, i in zip(self.labels, places, strict=True))

    def html(self) -> str:
        """Return a page of HTML that draws the shares, or values where parts have no goal to reach.

        It needs no network. Raises ValueError where there is nothing to draw.
        """
        from loupe.effects_picture import page_of_effects

        return page_of_effects(self)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show the picture in a notebook, and the text where there is none."""
        from loupe.picture import cell_output

        shown = {"text/plain": repr(self)}
        with contextlib.suppress(ValueError):
            shown["text/html"] = cell_output(self.html(), repr(self).partition("\n")[0])
        return shown

    def __repr__(self) -> str:
        sizes = zip(self.values.shape, self.axes, strict=True)
        goal = "" if self.goal is None else f", {self.goal:.4g} with all of it"
        lines = (f"{value:+.4g}  {', '.join(names)}" for value, names in self.strongest())
        head = f"{' x '.join(f'{n} {axis}' for n, axis in sizes)}; {self.before:.4g} before{goal}"
        return "\n".join((head, *lines))


def ablate(
    model: Opened,
    text: str,
    metric: Metric,
    *,
    how: How = "zero",
    over: Sequence[str] = (),
    target: str | None = None,
) -> Effects:
    """Cut every head and every sublayer in turn, and tell by how much a number changes.

    Args:
        model: As in `patch`.
        text: What the model reads.
        metric: What is measured, as in `patch`.
        how: What takes the place: zeros; the mean over some texts and all of their positions (Wang
            et al. 2022, 2211.00593); or, of where a head looks alone, the same weight everywhere.
        over: The texts of the mean: this one, where none are given.
        target: What a translator has written; without it, what it writes by itself.

    Returns:
        By how much the number changes, in its own unit (sublayer head): in the last column where
        the whole sublayer is cut, and NaN where one has no heads.

    Raises:
        TypeError: On a model of other kinds.
        ValueError: On another word for `how`, a text without a token, or a token that the
            vocabulary lacks.
    """
    check_how(how)
    whole, measure = own(model), numbers_of(model, metric)
    config = whole.model.config
    reading = read_own(whole, text, target)
    means = None
    if how == "mean":
        texts = [read_own(whole, each) for each in over] or [reading]
        means = mean_outputs(whole.model, [_example(each) for each in texts])
    with torch.no_grad():
        before = float(measure(logits_of(run_own(whole.model, reading))))
    cut = parts(config, how)
    found = by_runs(
        whole,
        reading,
        cut,
        lambda chunk: cut_edits(config, [(part,) for part in chunk], how, means),
        measure,
    )
    rows = [part.sublayer for part in sublayers(config)]
    values = torch.full((len(rows), config.n_heads + 1), math.nan)
    for part, value in zip(cut, found, strict=True):
        values[rows.index(part.sublayer), -1 if part.head is None else part.head] = value - before
    labels = (tuple(rows), (*numbered(config.n_heads), "all"))
    return Effects(values, ("sublayer", "head"), labels, before)


def logit_attribution(
    model: Opened, run: Run, token: Token, other: Token | None = None, *, row: int = -1
) -> Effects:
    """Split a logit, or the lead of one over another, into what each part adds to it directly.

    The embedding, each head and each feed-forward network, with the scale of every norm held at
    what it was (Elhage et al. 2021): the values sum to the logit, or to the difference.

    Args:
        model: That of the run, as in `patch`.
        run: What `loupe.trace` gave, edited or not.
        token: Whose logit.
        other: The one that it is held against.
        row: Which row of the logits.

    Returns:
        What each part adds, in logits (part); `goal` is their sum.

    Raises:
        TypeError: On a model of other kinds.
        ValueError: On a model without a decoder, a token that its vocabulary lacks.
        IndexError: On a row that the run lacks.
    """
    whole, trace = own(model), trace_of(run)
    if trace.decoder is None:
        raise ValueError("a logit is split in a decoder, and this model has none")
    logits = logits_of(trace)[row]
    ids = [id_of(whole, each) for each in (token, other) if each is not None]
    found = addends(whole.model, split_state(whole.model, trace), row, *ids)
    goal = float(logits[ids[0]] - (logits[ids[1]] if len(ids) > 1 else 0))
    names = tuple(each.name for each in found)
    return Effects(torch.tensor([each.value for each in found]), ("part",), (names,), 0.0, goal)


def _example(reading: Reading) -> Example | TextExample:
    if reading.source and reading.written:
        return Example(reading.source, reading.written)
    return TextExample(present(reading.source or reading.rows))


def numbered(count: int) -> tuple[str, ...]:
    """Name heads by their numbers."""
    return tuple(map(str, range(count)))
