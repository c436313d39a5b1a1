"""The input of a page: a finished run, the same run packed for the browser, and its model."""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec, TypeVar, cast

from viz.run.inputs import Inputs, Stamp
from viz.run.record import Run
from viz.run.result_cache import cached

if TYPE_CHECKING:  # a view only holds these
    from model.checkpoints.checkpoint import Checkpoint
    from model.foreign.huggingface import Opened
    from model.transformer import Transformer
    from viz.run.payload import Payload

P = ParamSpec("P")
R = TypeVar("R")


def _alone(_inputs: Inputs) -> "View":
    raise LookupError("this view has no opener, so it cannot open another run")


class View(NamedTuple):
    """Everything that a page draws from. All sessions share it, so it must not be changed."""

    inputs: Inputs
    run: Run
    parcel: "Payload"
    opened: "Opened"
    """The model and its description."""
    stamp: Stamp = Stamp("", 0)
    """The state of the model's files."""
    opener: Callable[[Inputs], "View"] = _alone

    @property
    def checkpoint(self) -> "Checkpoint":
        """The model as it was trained, with its description.

        Raises LookupError if third-party code computed the run.
        """
        if self.run.anatomy.is_recorded:
            raise LookupError(
                "this run was recorded from third-party code, so it has no checkpoint"
            )
        return cast("Checkpoint", self.opened)

    @property
    def model(self) -> "Transformer":
        """The model without the run's changes; to run it as the run did, pass `run.edits`.

        Raises LookupError as `checkpoint` does.
        """
        return self.checkpoint.model

    def beside(self, inputs: Inputs) -> "View":
        """Open the run of other inputs, once for all sessions.

        Raises ValueError for an intervention that cannot be made in the model, and CheckpointError
        for a broken checkpoint.
        """
        return self.opener(inputs)


def per_view(
    function: Callable[Concatenate[View, P], R],
) -> Callable[Concatenate[View, P], R]:
    """Keep the results of a function of views, names and numbers, for all sessions."""

    def key(view: View, *arguments: P.args, **named: P.kwargs) -> Hashable:
        return (view.inputs, view.parcel.key, *map(_name, arguments), *sorted(named.items()))

    return cached(function, key)


def per_model(
    function: Callable[Concatenate[View, P], R],
) -> Callable[Concatenate[View, P], R]:
    """Keep the results of a function of a view's model, names and numbers.

    The function may use only the model of the view, so views of other texts share the results.
    """

    def key(view: View, *arguments: P.args, **named: P.kwargs) -> Hashable:
        return (view.stamp, view.inputs.device, *arguments, *sorted(named.items()))

    return cached(function, key)


def _name(argument: object) -> Hashable:
    return argument.parcel.key if isinstance(argument, View) else argument
