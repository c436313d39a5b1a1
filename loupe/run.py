"""What one pass of a model computed: every tensor by its name, and a picture of itself."""

import contextlib
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
    "transformers": "of the code of transformers",
    "module": "of the module's own code",
}

NEAREST = 3
"""Names that a message offers in place of one that nothing has."""


SHOWN = 6
"""Names that the text of a run shows, where it has those alone that were asked for."""


class UnknownNameError(KeyError):
    """Nothing was captured under a name; the message has the nearest ones."""

    def __str__(self) -> str:
        """Return the message as it is: a KeyError's own puts it in quotes."""
        return str(self.args[0])


class Gradients(dict[str, Tensor]):
    """Gradients by name."""

    left_out: Mapping[str, str] = {}
    """By the names of what has none, the reason."""


def _why_no_gradient(name: str, x: Tensor) -> str:
    if not x.is_floating_point():
        return "it holds no numbers that could change a little"
    if name.endswith(".scores"):
        return "it was recorded beside the graph: computed again from queries and keys"
    return "it was recorded beside the graph, or depends on nothing that is learned"


@dataclass(frozen=True, eq=False, repr=False)
class Run(Mapping[str, Tensor]):
    """One pass of a model, as a mapping of captured names to tensors.

    In a notebook it shows itself: all heads, one of them as a map and as lines.
    """

    record: Record
    """What was recorded, nested as the modules are."""
    tokens: Tokens
    model: str
    """What the model is called."""
    origin: Origin
    """What computed it: Loupe's own model, the code of transformers, or that of another module."""
    differs: float | None
    """Largest distance of what it gave from what the model gives when nobody records it, in the
    first pass of this model, or in this one where it was `compared`; None where edits keep the two
    apart, or no pass was compared."""
    compared: bool = True
    """Whether a plain pass on the same text was run beside this one, to compare the two."""
    text: str = ""
    """What was written, by a model that writes."""
    given: bool = False
    """Whether the target was given, rather than written by the model."""
    languages: tuple[str, str] = ("Source", "Target")
    """What the two texts are called."""
    own_names: Mapping[str, str] = field(default_factory=dict)
    """The names of attentions by the paths of their modules, which may be used as well."""
    anatomy: Anatomy | None = None
    """What the model has, where it is one of Loupe's: of the code of others only what was recorded
    is known."""
    outputs: Mapping[str, Tensor] = field(default_factory=dict)
    """What modules gave that are no part of the record, by name."""
    axes: Mapping[str, AxisNames] = field(default_factory=dict)
    """The names of the rows and columns of attentions, by the names of these."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """Why it was not recorded, by the path of each attention and layer that ran and was not."""
    is_open: bool = False
    """Whether the token that the last row of a given target writes is unknown."""

    task: str = ""
    """The task that the model was trained on, if it is one of Loupe's."""
    best_head: tuple[int, int] | None = None
    """Layer and head of the cross-attention that aligns best, if its checkpoint says so."""
    fingerprint: str = ""
    """A short text that differs between models with different weights; empty if unknown."""

    lacks: str = ""
    """Why the run lacks a residual stream, or other parts of the model that were not proven."""
    graph_places: Mapping[str, GraphPlace] = field(default_factory=dict)
    """For each tensor that the code itself does not use, the place of its gradient, by name."""

    def names(self, pattern: str = "*") -> tuple[str, ...]:
        """List the captured names that a pattern fits, in the order they were computed."""
        return tuple(name for name in self if fnmatch.fnmatchcase(name, pattern))

    @property
    def writes(self) -> bool:
        """Whether the decoder's rows are named after the tokens that they write, not those read."""
        decoder = getattr(self.record, "decoder", None)
        if decoder is None or not all(self.tokens):
            return False
        return self.is_open or len(self.tokens.target) > decoder.output.size(1)

    @property
    def headline(self) -> str:
        """Describe in a sentence what this is."""
        said = f"{self.model}: {len(self)} tensors of one pass {_WHOSE[self.origin]}"
        numbers = (x.dtype for x in self.values() if x.is_floating_point())
        if short := short_type(next(numbers, torch.float32)):
            said += f", in {short}"
        if self.origin == "own":
            return f"{said}."
        if self.differs is None:
            return f"{said}, which was compared with no plain one."
        apart = f"from a plain one by {self.differs:.1g} at most."
        if self.compared:
            return f"{said}, which differs {apart}"
        return f"{said}. The first pass of this model differed {apart}"

    def gradient(
        self, metric: Callable[["Run"], Tensor], names: str | Sequence[str]
    ) -> "Gradients":
        """Compute how fast a number of this run changes with each of some of its tensors.

        Args:
            metric: A function of this run that gives one number as a tensor, such as
                `lambda run: run["logits"][0, -1, 5]`.
            names: A pattern of names, as `names` takes it, or several.

        Returns:
            d metric / d tensor by name, of the tensor's shape: through all that is computed of it.
            Tensors that the metric does not depend on are left out if they only match a pattern;
            `left_out` of the result gives the reason for each name. `scores` are computed again
            from queries and keys, outside the graph, so nothing depends on them.

        Raises:
            ValueError: If the run was traced without `grad=True`, if the metric is not a single
                number of it, or if it depends on no tensor that matches a pattern.
        """
        value = metric(self)
        if not isinstance(value, Tensor) or value.numel() != 1:
            shape = tuple(value.shape) if isinstance(value, Tensor) else type(value).__name__
            raise ValueError(f"a metric gives one number as a tensor, got {shape}")
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
                raise ValueError(f"the metric depends on nothing that {pattern!r} names{why}")
        return given

    def cpu(self) -> "Run":
        """Return the run with all its tensors on the processor, and out of any graph."""
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
            # A file of safetensors has each number once, for one name.
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

        Raises ImportError where anywidget is missing, ValueError where there is no attention.
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
        """Show the picture in a notebook, and the text where there are no pictures."""
        from loupe.picture import cell_output

        shown = {"text/plain": repr(self)}
        with contextlib.suppress(ValueError):
            shown["text/html"] = cell_output(self.html(), self.headline)
        return shown

    def __getitem__(self, name: str) -> Tensor:
        if name in self.outputs:
            return self.outputs[name]
        try:
            return find_in(self.record, by_our_names(name, self.own_names))
        except LookupError as error:
            nearest = difflib.get_close_matches(name, self, n=NEAREST, cutoff=0.0)
            raise UnknownNameError(
                f"nothing is captured as {name!r}; nearest: {', '.join(nearest)}"
            ) from error

    def __iter__(self) -> Iterator[str]:
        yield from (name for name, _ in named_in(self.record))
        yield from self.outputs

    def __len__(self) -> int:
        return sum(1 for _ in self)
