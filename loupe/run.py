"""One pass of a model: every tensor by its name, and a picture."""

import difflib
import fnmatch
import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import safetensors.torch
import torch
from torch import Tensor

from loupe.options import patterns_of
from loupe.records import AxisNames, Record, Tokens, changed, find_in, named_in
from loupe.remarks import missing_words, part_words
from loupe.saved_runs import about_run
from model.anatomy import Anatomy
from model.devices import short_type
from model.files.durable import write_whole
from model.files.json_fields import shorten
from model.foreign.recording import PickedTrace
from model.foreign.recording.graph_places import GraphPlace, differentiated
from model.foreign.recording.plan import by_our_names

if TYPE_CHECKING:
    from loupe.widget import RunWidget

Origin = Literal["own", "transformers", "module"]
_WHOSE: Mapping[Origin, str] = {
    "own": "of Loupe's own model",
    "transformers": "of transformers' code",
    "module": "of the module's own code",
}

NEAREST = 3
"""The number of similar names that a message offers for an unknown one."""


SHOWN = 6
"""The number of names that the text of a run lists, if it keeps only chosen tensors."""


class UnknownNameError(KeyError):
    """Nothing was captured under a name; the message lists the nearest names."""

    def __str__(self) -> str:
        """Return the message as it is: a KeyError's own puts it in quotes."""
        return str(self.args[0])


class Gradients(dict[str, Tensor]):
    """Gradients by name."""

    left_out: Mapping[str, str] = {}
    """The reason why a tensor has no gradient, by its name."""


def _why_no_gradient(name: str, x: Tensor) -> str:
    if not x.is_floating_point():
        return "it does not hold floating-point numbers"
    if name.endswith(".scores"):
        return "it was recorded beside the graph: computed again from queries and keys"
    return "it was recorded beside the graph, or depends on no parameter"


@dataclass(frozen=True, eq=False, repr=False)
class Run(Mapping[str, Tensor]):
    """One pass of a model, as a mapping of captured names to tensors.

    In a notebook it shows a picture: all heads, and one of them as a map and as lines.
    """

    record: Record
    """The recorded tensors, nested as the modules are."""
    tokens: Tokens
    model: str
    """The name of the model."""
    origin: Origin
    """The code that computed it: Loupe's own model, transformers, or another module."""
    differs: float | None
    """The largest difference between the model's output when recorded and when not recorded, in
    this pass if it was `compared`, else in the first pass of this model; None if edits make the two
    differ, or if no pass was compared."""
    compared: bool = True
    """Whether the model also ran on the same text without recording, to compare the two."""
    text: str = ""
    """The text that the model wrote, if it writes."""
    given: bool = False
    """Whether the target was given, rather than written by the model."""
    languages: tuple[str, str] = ("Source", "Target")
    """The names of the two languages, or of the two texts."""
    own_names: Mapping[str, str] = field(default_factory=dict)
    """The names of attentions, by the paths of their modules; a run accepts both."""
    anatomy: Anatomy | None = None
    """The parts of the model if Loupe implements it; None for third-party code, of which only the
    recorded tensors are known."""
    outputs: Mapping[str, Tensor] = field(default_factory=dict)
    """The outputs of modules outside the record, by name."""
    axes: Mapping[str, AxisNames] = field(default_factory=dict)
    """The names of each attention's rows and columns, by the attention's name."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """For each attention and layer that ran without being recorded, the reason, by its path."""
    is_open: bool = False
    """Whether the token that the last row of a given target writes is unknown."""

    task: str = ""
    """The task that the model was trained on, if it is one of Loupe's."""
    best_head: tuple[int, int] | None = None
    """Layer and head of the cross-attention that aligns best, if its checkpoint says so."""
    fingerprint: str = ""
    """A short text that differs between models with different weights; empty if unknown."""

    lacks: str = ""
    """The reason why the run lacks a residual stream or other parts that were not proven."""
    graph_places: Mapping[str, GraphPlace] = field(default_factory=dict)
    """For each tensor that the code itself does not use, the place of its gradient, by name."""

    def names(self, pattern: str = "*") -> tuple[str, ...]:
        """List the captured names that match a pattern, in the order of computation."""
        return tuple(name for name in self if fnmatch.fnmatchcase(name, pattern))

    @property
    def writes(self) -> bool:
        """Whether the decoder's rows are named after the tokens that they write, not read."""
        decoder = getattr(self.record, "decoder", None)
        if decoder is None or not all(self.tokens):
            return False
        return self.is_open or len(self.tokens.target) > decoder.output.size(1)

    @property
    def headline(self) -> str:
        """Describe the run in a sentence."""
        said = f"{self.model}: {len(self)} tensors of one pass {_WHOSE[self.origin]}"
        numbers = (x.dtype for x in self.values() if x.is_floating_point())
        if short := short_type(next(numbers, torch.float32)):
            said += f", in {short}"
        if self.origin == "own":
            return f"{said}."
        if self.differs is None:
            return f"{said}, which was not compared with a plain one."
        apart = f"from a plain one by {self.differs:.1g} at most."
        if self.compared:
            return f"{said}, which differs {apart}"
        return f"{said}. The first pass of this model differed {apart}"

    def gradient(
        self, metric: Callable[["Run"], Tensor], names: str | Sequence[str]
    ) -> "Gradients":
        """Compute the gradient of a number of this run with respect to some of its tensors.

        Args:
            metric: A function of this run that gives one number as a tensor, such as
                `lambda run: run["logits"][0, -1, 5]`.
            names: A pattern of names, as `names` takes it, or several.

        Returns:
            d metric / d tensor by name, with the tensor's shape, through every path from it. A
            tensor on which the metric does not depend is left out if a pattern with wildcards
            matches it; `left_out` of the result has the reason for each. `scores` are computed
            again from queries and keys, outside the graph, so nothing depends on them.

        Raises:
            ValueError: If the run was traced without `grad=True`, if the metric does not return a
                single number, or if it depends on no tensor that matches a pattern.
        """
        value = metric(self)
        if not isinstance(value, Tensor) or value.numel() != 1:
            shape = tuple(value.shape) if isinstance(value, Tensor) else type(value).__name__
            raise ValueError(f"a metric must return one number as a tensor, got {shape}")
        if not value.requires_grad:
            raise ValueError(
                "the metric has no gradient: trace the run with grad=True, and let the metric be a "
                "function of it"
            )
        patterns = patterns_of("names", (names,) if isinstance(names, str) else names) or ()
        chosen = [each for each in self if any(fnmatch.fnmatchcase(each, p) for p in patterns)]
        own = self.own_names
        places = {by_our_names(name, own): each for name, each in self.graph_places.items()}
        tensors: dict[str, Tensor | GraphPlace] = {}
        left_out: dict[str, str] = {}
        for each in chosen:
            x = self[each]
            if each in places:
                tensors[each] = places[each]
            elif x.requires_grad and not each.endswith(".scores"):
                tensors[each] = x
            else:
                left_out[each] = _why_no_gradient(each, x)
        pairs = zip(tensors, differentiated(value, list(tensors.values())), strict=True)
        given = Gradients({name: gradient for name, gradient in pairs if gradient is not None})
        left_out |= dict.fromkeys(tensors.keys() - given, "the metric does not depend on it")
        given.left_out = {each: left_out[each] for each in chosen if each in left_out}
        for pattern in patterns:
            if not fnmatch.filter(given, pattern):
                reasons = {left_out[each] for each in fnmatch.filter(left_out, pattern)}
                why = f": {'; '.join(sorted(reasons))}" if reasons else ""
                raise ValueError(f"the metric depends on no tensor that {pattern!r} names{why}")
        return given

    def cpu(self) -> "Run":
        """Return the run with all its tensors on the CPU and detached from any graph."""
        record = changed(self.record, lambda _, x: x.detach().cpu())
        outputs = {name: x.detach().cpu() for name, x in self.outputs.items()}
        return replace(self, record=record, outputs=outputs, graph_places={})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all tensors under their names into one file of safetensors.

        `loupe.load_run` reads it. The metadata describe the run as text: `model`, `headline`, the
        tokens of both texts as JSON, `source` and `target`, and `loupe` with the rest. An existing
        file is replaced in one step. Raises OSError if the file cannot be written.
        """
        tensors, stored = dict[str, Tensor](), set[int]()
        for name, x in self.items():
            own = x.detach().cpu().contiguous()
            storage = own.untyped_storage()
            # A safetensors file stores each tensor once, under one name.
            if storage.data_ptr() in stored or storage.nbytes() != own.nbytes:
                own = own.clone()
            stored.add(own.untyped_storage().data_ptr())
            tensors[name] = own
        write_whole({Path(path): safetensors.torch.save(tensors, about_run(self))})

    def html(
        self,
        *,
        layers: Sequence[int] | None = None,
        rows: slice | Sequence[int] | None = None,
    ) -> str:
        """Return the picture as an HTML page to save or to share; it needs no network.

        Args:
            layers: Numbers of the layers to draw; by default all of them.
            rows: Adjacent rows to draw, as a slice or a list; by default as many of the first rows
                as there is room for.

        Raises:
            TypeError: On layers or rows that are not numbers.
            ValueError: On a run without attention, or without such layers or rows.
        """
        from loupe.picture import page_of

        return page_of(self, layers, rows)

    def widget(self) -> "RunWidget":
        """Make a widget of the picture, whose `selection` follows a click.

        Raises ImportError if anywidget is missing, ValueError if the run has no attention.
        """
        try:
            from loupe.widget import RunWidget
        except ImportError as error:
            raise ImportError("a widget needs anywidget: pip install anywidget") from error
        return RunWidget(self)

    def __repr__(self) -> str:
        texts = ((name, tokens) for name, tokens in self.tokens._asdict().items() if tokens)
        lines = [f"{name}: {shorten(' '.join(tokens))}" for name, tokens in texts]
        if isinstance(self.record, PickedTrace):
            some = [f"{name} {tuple(x.shape)}" for name, x in itertools.islice(self.items(), SHOWN)]
            lines.append(", ".join(some) + (", …" if len(self) > SHOWN else ""))
        if self.lacks:
            lines.append(f"not proven: {self.lacks}")
        return "\n".join((self.headline, *lines, *self.remarks))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences on the parts that this run leaves out."""
        return (*missing_words(self.missing), *part_words(self.axes))

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show the picture in a notebook, or the text if there is nothing to draw."""
        from viz.alone.frame import cell_output

        return cell_output(repr(self), self.headline, self.html)

    def __getitem__(self, name: str) -> Tensor:
        if name in self.outputs:
            return self.outputs[name]
        try:
            return find_in(self.record, by_our_names(name, self.own_names))
        except LookupError as error:
            nearest = difflib.get_close_matches(name, self, n=NEAREST, cutoff=0.0)
            raise UnknownNameError(
                f"no tensor is called {name!r}; nearest: {', '.join(nearest)}"
            ) from error

    def __iter__(self) -> Iterator[str]:
        yield from (name for name, _ in named_in(self.record))
        yield from self.outputs

    def __len__(self) -> int:
        return sum(1 for _ in self)
