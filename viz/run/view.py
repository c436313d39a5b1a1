"""What a page is given: a finished run, the same run packed for the browser, and its model."""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec, TypeVar, cast

from viz.run.inputs import Inputs, Stamp
from viz.run.record import Run
from viz.run.result_cache import cached

if TYPE_CHECKING:  # a view holds these, and makes none of them
    from model.checkpoints.checkpoint import Checkpoint
    from model.foreign.huggingface import Opened
    from model.transformer import Transformer
    from viz.run.payload import Payload

P = ParamSpec("P")
R = TypeVar("R")


def _alone(_inputs: Inputs) -> "View":
    raise LookupError("this view was made alone, so it cannot open another run")


class View(NamedTuple):
    """All that a page draws from. Shared by all sessions, so nobody changes it."""

    inputs: Inputs
    run: Run
    parcel: "Payload"
    opened: "Opened"
    """The model and all about it."""
    stamp: Stamp = Stamp("", 0)
    """The files of the model."""
    opener: Callable[[Inputs], "View"] = _alone

    @property
    def checkpoint(self) -> "Checkpoint":
        """The model as it was trained, with all about it.

        Raises LookupError where code that is not ours computed the run.
        """
        if self.run.anatomy.is_recorded:
            raise LookupError("this run was recorded, so its model has no modules of Loupe")
        return cast("Checkpoint", self.opened)

    @property
    def model(self) -> "Transformer":
        """The model, for its parameters: it runs with the run's own edits, or it is another.

        Raises LookupError as `checkpoint`.
        """
        return self.checkpoint.model

    def beside(self, inputs: Inputs) -> "View":
        """Open the run of other inputs, once for all sessions.

        Raises ValueError on an intervention that cannot be made in its model, and CheckpointError
        on a broken one.
        """
        return self.opener(inputs)


def per_view(
    function: Callable[Concatenate[View, P], R],
) -> Callable[Concatenate[View, P], R]:
    """Keep what a function makes of views and of names and numbers, for all sessions."""

    def key(view: View, *arguments: P.args, **named: P.kwargs) -> Hashable:
        return (view.inputs, view.parcel.key, *map(_name, arguments), *sorted(named.items()))

    return cached(function, key)


def per_model(
    function: Callable[Concatenate[View, P], R],
) -> Callable[Concatenate[View, P], R]:
    """Keep the results of a function of the model of a view, and of names and numbers.

    The function asks a view for its model alone, so views of other texts share the results.
    """

    def key(view: View, *arguments: P.args, **named: P.kwargs) -> Hashable:
        return (view.stamp, view.inputs.device, *arguments, *sorted(named.items()))

    return cached(function, key)


def _name(argument: object) -> Hashable:
    return argument.parcel.key if isinstance(argument, View) else argument
