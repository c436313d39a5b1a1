"""The models that `loupe.load` returns: they describe themselves and have methods."""

import fnmatch
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec

from loupe.options import device_of
from model.checkpoints.checkpoint import Checkpoint
from model.devices import short_type
from model.foreign.huggingface import Opened, RecordedFolder
from model.tensor_names import tensor_names

if TYPE_CHECKING:
    from loupe.effects import Effects
    from loupe.logit_lens import Lens
    from loupe.run import Run

P = ParamSpec("P")
_PROBED = 4


class _Methods:
    """Loupe's functions as methods of a model."""

    def names(self, pattern: str = "*") -> tuple[str, ...]:
        """List the names in a run of the model that match a pattern."""
        return tuple(name for name in self._captured() if fnmatch.fnmatchcase(name, pattern))

    def trace(self, *given: Any, **options: Any) -> Any:  # noqa: ANN401 - as the function
        """Run the model on a text: `loupe.trace(model, text, ...)`."""
        from loupe.tracing import trace

        whole: Any = self
        return trace(whole, *given, **options)

    def generate(self, *given: Any, **options: Any) -> str:  # noqa: ANN401
        """Generate text with the model: `loupe.generate(model, text, ...)`."""
        from loupe.generation import generate

        whole: Any = self
        return generate(whole, *given, **options)

    def patch(self, *given: Any, **options: Any) -> "Effects":  # noqa: ANN401
        """Put parts of one run into another: `loupe.patch(model, clean, corrupt, metric, ...)`."""
        from loupe.patching import patch

        whole: Any = self
        return patch(whole, *given, **options)

    def ablate(self, *given: Any, **options: Any) -> "Effects":  # noqa: ANN401
        """Cut parts out of the model: `loupe.ablate(model, text, metric, ...)`."""
        from loupe.ablation import ablate

        whole: Any = self
        return ablate(whole, *given, **options)

    def lens(self, run: "Run", **options: Any) -> "Lens":  # noqa: ANN401
        """Read each depth of a run as the last: `loupe.lens(model, run, ...)`."""
        from loupe.logit_lens import lens

        whole: Any = self
        return lens(whole, run, **options)

    def _captured(self) -> tuple[str, ...]:
        raise NotImplementedError

    def __repr__(self) -> str:
        whole: Any = self
        anatomy, config, inner = whole.anatomy, whole.info.config, whole.model
        stacks = " and ".join(
            f"{each.layers} layers of {_article(each.name)}" for each in anatomy.stacks
        )
        heads = max(site.heads for site in anatomy.sites)
        first = next(iter(inner.parameters()))
        precision = short_type(first.dtype) or "float32"
        sizes = ", ".join(f"{size:,} tokens of the {side}" for side, size in anatomy.vocabularies)
        kind = whole.info.title if whole.info.title != whole.info.name else "a transformer"
        whose = "recorded while transformers runs it" if anatomy.is_recorded else "Loupe's own"
        return "\n".join(
            (
                f"{whole.info.name} ({whose}): {kind}",
                f"{stacks}, {heads} heads each, width {config.d_model}; "
                f"{inner.n_parameters:,} parameters in {precision} on {first.device}; {sizes}",
                'model.trace("a text") runs it, model.names() lists the names in a run',
            )
        )


@dataclass(frozen=True, eq=False, repr=False)
class Model(_Methods, Checkpoint):
    """A model that Loupe implements."""

    def _captured(self) -> tuple[str, ...]:
        return tensor_names(self.model.config)


@dataclass(frozen=True, eq=False, repr=False)
class RecordedModel(_Methods, RecordedFolder):
    """A model that transformers runs and Loupe records."""

    def _captured(self) -> tuple[str, ...]:
        config = self.info.config
        ids = [i for i in range(_PROBED + 1) if i != config.pad_id]
        options = {"target": ids} if config.has_encoder and config.has_decoder else {}
        return self.trace(ids, **options).names()


Loaded = Model | RecordedModel


def with_methods(opening: Callable[P, Opened]) -> Callable[P, Loaded]:
    """Decorate a function that opens a model, so that it returns one with methods."""

    @wraps(opening)
    def open_with_methods(*args: P.args, **options: P.kwargs) -> Loaded:
        device: Any = options.get("device")
        device_of(device)
        found = opening(*args, **options)
        if isinstance(found, Checkpoint):
            return Model(found.info, found.model)
        return RecordedModel(found.info, found.model)

    return open_with_methods


def _article(stack: str) -> str:
    return f"an {stack}" if stack == "encoder" else f"a {stack}"
