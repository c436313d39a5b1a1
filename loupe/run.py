"""What one pass of a model computed: every tensor by its name, and a picture of itself."""

import contextlib
import difflib
import fnmatch
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from torch import Tensor

from loupe.records import Record, Tokens, find_in, named_in
from model.anatomy import Anatomy
from model.files.json_fields import shorten
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


class UnknownNameError(KeyError):
    """Nothing was captured under a name; the message has the nearest ones."""

    def __str__(self) -> str:
        """Return the message as it is: a KeyError's own puts it in quotes."""
        return str(self.args[0])


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
    """Largest distance of what it gave from what the model gives when nobody records it; None where
    edits keep the two apart."""
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

    def names(self, pattern: str = "*") -> tuple[str, ...]:
        """List the captured names that a pattern fits, in the order they were computed."""
        return tuple(name for name in self if fnmatch.fnmatchcase(name, pattern))

    @property
    def writes(self) -> bool:
        """Whether the decoder's rows are named after the tokens that they write, not those read."""
        decoder = getattr(self.record, "decoder", None)
        if decoder is None or not all(self.tokens):
            return False
        return len(self.tokens.target) > decoder.output.size(1)

    @property
    def headline(self) -> str:
        """Describe in a sentence what this is."""
        said = f"{self.model}: {len(self)} tensors of one pass {_WHOSE[self.origin]}"
        if self.origin == "own" or self.differs is None:
            return f"{said}."
        return f"{said}, which differs from a plain one by {self.differs:.1g} at most."

    def html(self) -> str:
        """Return the picture as a page of HTML, which needs no network: to save, or to send on.

        Raises ValueError where the run has no attention.
        """
        from loupe.picture import page_of

        return page_of(self)

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
        lines = (f"{name}: {shorten(' '.join(tokens))}" for name, tokens in texts)
        return "\n".join((self.headline, *lines))

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
