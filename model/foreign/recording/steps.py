"""The steps from a product to the weights: torch functions with all arguments but one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

Step = Callable[[Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class Applied:
    """A function that reads a tensor as one of its arguments; all others are fixed."""

    func: Callable[..., Tensor]
    args: tuple
    """All arguments; the one in `place` is None."""
    place: int
    kwargs: Mapping[str, Any]

    def __call__(self, x: Tensor) -> Tensor:
        """Apply it to a tensor."""
        args = self.args
        return self.func(*args[: self.place], x, *args[self.place + 1 :], **self.kwargs)

    def copied(self) -> "Applied":
        """Return the same step with copies of its tensors, because these may change."""
        kwargs = {key: _copied(x) for key, x in self.kwargs.items()}
        return Applied(self.func, _copied(self.args), self.place, kwargs)

    def does_as(self, other: "Applied") -> bool:
        """Return whether another step computes the same, by comparing functions and arguments."""
        return (
            self.func == other.func
            and self.place == other.place
            and _are_equal(self.args, other.args)
            and self.kwargs.keys() == other.kwargs.keys()
            and all(_are_equal(x, other.kwargs[key]) for key, x in self.kwargs.items())
        )


def _copied(x: Any) -> Any:  # noqa: ANN401
    if isinstance(x, Tensor):
        return x.detach().clone()
    return type(x)(map(_copied, x)) if type(x) in (list, tuple) else x


def _are_equal(x: object, y: object) -> bool:
    """Return whether two arguments are equal; those that cannot be compared are not."""
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        return (
            isinstance(x, Tensor)
            and isinstance(y, Tensor)
            and (x.shape, x.dtype, x.device) == (y.shape, y.dtype, y.device)
            and torch.equal(x, y)
        )
    if type(x) is not type(y):
        return False
    if isinstance(x, list | tuple) and isinstance(y, list | tuple):
        return len(x) == len(y) and all(map(_are_equal, x, y))
    if isinstance(x, slice) and isinstance(y, slice):
        return (x.start, x.stop, x.step) == (y.start, y.stop, y.step)
    return x is y or (isinstance(x, _PLAIN) and x == y)


_PLAIN = (bool, int, float, complex, str, torch.dtype, torch.device, torch.layout)
