"""The effect of each part of a model on a number computed from its logits."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor

if TYPE_CHECKING:
    import pandas

TOLD = 5
"""The number of values that the text of effects lists, the largest first."""


@dataclass(frozen=True, eq=False, repr=False)
class Effects:
    """The change of a number for each part of a model."""

    values: Float[Tensor, "*axes"]
    """The changes, in the unit of the number; NaN for a part that cannot be changed."""
    axes: tuple[str, ...]
    """The names of the axes of `values`, such as ("attention", "head")."""
    labels: tuple[tuple[str, ...], ...]
    """For each axis, the names along it: captured names, tokens or heads."""
    before: float
    """The number before any change."""
    goal: float | None = None
    """The number if every part were changed; None if unknown."""

    @property
    def shares(self) -> Float[Tensor, "*axes"]:
        """Return each change as a share of `goal - before`. Raises ValueError if that is 0."""
        if self.goal is None or self.goal == self.before:
            raise ValueError(f"shares need a goal other than {self.before:g}, got {self.goal}")
        return self.values / (self.goal - self.before)

    def strongest(self, count: int = TOLD) -> tuple[tuple[float, tuple[str, ...]], ...]:
        """List the values that are largest in size, of either sign, each with its labels."""
        if type(count) is not int or count < 0:
            raise ValueError(f"count must be 0 or more, got {count!r}")
        flat = self.values.flatten()
        order = flat.abs().nan_to_num(-1).argsort(descending=True, stable=True)[:count]
        return tuple((float(flat[i]), self._labels_of(int(i))) for i in order)

    def _labels_of(self, index: int) -> tuple[str, ...]:
        places = torch.unravel_index(torch.tensor(index), self.values.shape)
        return tuple(names[int(i)] for names, i in zip(self.labels, places, strict=True))

    def to_frame(self) -> "pandas.DataFrame":
        """Return the values as a pandas DataFrame, with the labels as its index and columns.

        Effects with one axis have one column, `value`. Raises ImportError if pandas is missing.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("to_frame needs pandas: pip install pandas") from error
        index = pd.Index(self.labels[0], name=self.axes[0])
        if len(self.axes) == 1:
            return pd.DataFrame({"value": self.values.numpy()}, index=index)
        columns = pd.Index(self.labels[1], name=self.axes[1])
        return pd.DataFrame(self.values.numpy(), index=index, columns=columns)

    def html(self) -> str:
        """Return an HTML page that draws the shares, or the values if there is no goal.

        The page needs no network. Raises ValueError if there is nothing to draw.
        """
        from loupe.effects_picture import page_of_effects

        numbers = (f"{each:.4g}" for each in (self.before, self.goal) if each is not None)
        return page_of_effects(
            self.values,
            self.axes,
            self.labels,
            lambda: self.shares,
            heading=" → ".join(numbers),
            note=repr(self).partition("\n")[0],
        )

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show the picture in a notebook, or the text if there is nothing to draw."""
        from viz.alone.frame import cell_output

        text = repr(self)
        return cell_output(text, text.partition("\n")[0], self.html)

    def __repr__(self) -> str:
        sizes = zip(self.values.shape, self.axes, strict=True)
        goal = "" if self.goal is None else f", {self.goal:.4g} with all of it"
        lines = (f"{value:+.4g}  {', '.join(names)}" for value, names in self.strongest())
        head = f"{' x '.join(f'{n} {axis}' for n, axis in sizes)}; {self.before:.4g} before{goal}"
        return "\n".join((head, *lines))


def numbered(count: int) -> tuple[str, ...]:
    """Name heads by their numbers."""
    return tuple(map(str, range(count)))
