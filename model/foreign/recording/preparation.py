"""Prepares a model for recording, and leaves it exactly as it was."""

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, cast

import torch
from torch import Tensor, nn

from model.edits import NO_EDITS, Edits
from model.foreign.recording import passes
from model.foreign.recording.attention import RecordedAttention
from model.foreign.recording.comparison import distance
from model.foreign.recording.first_pass import known_by, why_nothing
from model.foreign.recording.graph_places import GraphPlace
from model.foreign.recording.hooks import hooked
from model.foreign.recording.interface import heard_attention
from model.foreign.recording.keeping import ALL, Keep, PickedTrace
from model.foreign.recording.paths import Paths
from model.foreign.recording.plan import Known, Plan, by_our_names
from model.foreign.recording.recorder import Recorder
from model.foreign.recording.shared_settings import evaluating
from model.foreign.recording.sums import rounding_of
from model.traces import TransformerTrace


@dataclass(frozen=True, eq=False)
class ModuleTrace:
    """One recorded pass of a module."""

    attentions: Mapping[str, RecordedAttention]
    """The attentions by name, in the order in which they ran. A name is the path of the module;
    from its second attention in a pass on, `(2)`, `(3)` and so on follow."""
    output: Any
    """The module's output."""
    difference: float | None
    """The largest distance of the output from that of an unrecorded pass with torch's fused
    attention; None if there were edits, or if nothing was compared."""

    def __getitem__(self, name: str) -> RecordedAttention:
        return self.attentions[name]


@dataclass(frozen=True, eq=False)
class Recorded:
    """One recorded pass."""

    trace: TransformerTrace | ModuleTrace | PickedTrace
    """The record by Loupe's names if there is a plan; else attentions by their modules' paths."""
    output: Any
    """The model's output."""
    difference: float | None
    """The largest distance of the output from that of a pass without a listener; None if there were
    edits, or if nothing was compared."""
    outputs: Mapping[str, Tensor]
    """The outputs of chosen modules, by name, that the trace does not have."""
    unsplit: tuple[str, ...]
    """The names of attentions whose texts and heads share an axis."""
    graph_places: Mapping[str, GraphPlace]
    """The places in torch's graph of the gradients of tensors outside it, by their names."""


def record(
    model: nn.Module,
    *args: Any,  # noqa: ANN401
    edits: Edits = NO_EDITS,
    **inputs: Any,  # noqa: ANN401
) -> TransformerTrace:
    """Record one pass of a model under Loupe's names, run by its own code.

    `args` and `inputs` are the arguments of the model, such as `input_ids` and `attention_mask`.
    Names, including those of edits, are those of `model.traces`. Parts that the pass does not
    prove are None. The model's mode, hooks and config are left as they were. With gradients
    enabled, the record's tensors have them, like those of Loupe's models.

    Raises ValueError if the model shows no attention, if the pass does not prove that the
    attentions form layers, or if an edit's name is unknown.
    """
    with attached(model, *args, **inputs) as ready:
        return ready.record(*args, edits=edits, **inputs)


def trace_module(
    module: nn.Module,
    *args: Any,  # noqa: ANN401
    edits: Edits = NO_EDITS,
    **inputs: Any,  # noqa: ANN401
) -> ModuleTrace:
    """Record the attentions of one pass of any module, each under the path of its module.

    Edits have the names of tensors, such as `layers.0.self_attn.weights[2]`. `query`, `key`,
    `value`, `scores`, `mask`, `weights` and `heads` can be edited, and the `output` of an
    `nn.MultiheadAttention`.
    """
    with _ready(module) as (own, paths):
        ready = Attached(own, paths, Known(None))
        return cast(ModuleTrace, ready.run(*args, edits=edits, **inputs).trace)


class Attached:
    """A model that can be recorded, any number of times and by several threads at once."""

    def __init__(
        self,
        model: nn.Module,
        paths: Paths,
        known: Known,
        outputs: Sequence[str] | None = None,
        *,
        is_kept: bool = False,
    ) -> None:
        self._is_kept = is_kept
        self._model = model
        self._paths = paths
        self._outputs = outputs or ()
        self._chosen = known.blocks if outputs is None else _fitting(paths.values(), outputs)
        self.known = known
        self.plan = known.plan
        """The places of its parts; None if the pass did not prove them."""

    def need_plan(self) -> Plan:
        """Return the plan. Raises ValueError with the missing proof if there is none."""
        if self.plan is None:
            raise ValueError(self.known.lacks)
        return self.plan

    def record(self, *args: Any, edits: Edits = NO_EDITS, **inputs: Any) -> TransformerTrace:  # noqa: ANN401
        """Record one pass, as `model.foreign.recording.record` does."""
        self.need_plan()
        recorder, output = self._listened(args, inputs, edits)
        trace = recorder.trace(output)
        recorder.check_all_used()
        return trace

    def run(
        self,
        *args: Any,  # noqa: ANN401
        edits: Edits = NO_EDITS,
        check: bool = True,
        keep: Keep = ALL,
        **inputs: Any,  # noqa: ANN401
    ) -> Recorded:
        """Record one pass and, to check it, run another one without a listener.

        With edits nothing is compared. Raises ValueError if `keep` or a pattern of outputs asks for
        something that no pass has, `StalePlanError` if the pass differs from the plan.
        """
        compares = check and not edits.by_name
        plain = None
        if compares:
            with torch.no_grad():
                plain = passes.run(self._model, args, inputs)
        recorder, output = self._listened(args, inputs, edits, keep, self._chosen)
        recorder.check_followed(checks_sums=self._is_kept)
        apart = distance(plain, output, recorder.told_masks) if compares else None
        if apart is not None and apart > rounding_of(plain):
            self._check_repeats(plain, args, inputs)
        if not recorder.attended and not self._outputs:
            raise ValueError(
                self.known.lacks
                or why_nothing(self._model, recorder, saw_softmax=recorder.saw_softmax)
            )
        if keep.names is not None:
            trace = recorder.picked(output)
        elif self.plan is None:
            trace = ModuleTrace(recorder.attentions, output, apart)
        else:
            trace = recorder.trace(output)
        recorder.check_all_used()
        for pattern in self._outputs:
            if not _fitting(recorder.gave, [pattern]):
                nearest = difflib.get_close_matches(pattern, self._paths.values(), n=3, cutoff=0.0)
                raise ValueError(
                    f"no module that returned a tensor has a path that ends in {pattern!r}; "
                    f"nearest: {', '.join(nearest)}"
                )
        outputs = recorder.outputs
        if not isinstance(trace, PickedTrace):
            has_logits = isinstance(trace, TransformerTrace) and trace.logits is not None
            if not self._outputs or not isinstance(output, Tensor):  # otherwise only chosen ones
                outputs |= recorder.given(output, has_logits=has_logits)
        unsplit = tuple(recorder.unsplit)
        return Recorded(trace, output, apart, outputs, unsplit, recorder.graph_places)

    def _check_repeats(self, plain: object, args: tuple, inputs: Mapping[str, Any]) -> None:
        """Raise ValueError if two plain passes differ, because then no pass can be trusted."""
        with torch.no_grad():
            again = passes.run(self._model, args, inputs)
        if distance(plain, again, ()) > rounding_of(plain):
            raise ValueError(
                f"two passes of {type(self._model).__name__} on the same input differ, although "
                "Loupe put back everything the module keeps: it keeps something outside of itself, "
                "such as a global variable; make that a buffer or an attribute of the module"
            )

    def _listened(
        self,
        args: tuple,
        inputs: Mapping[str, Any],
        edits: Edits,
        keep: Keep = ALL,
        chosen: Collection[str] = (),
    ) -> tuple[Recorder, Any]:
        if self.plan and edits.by_name:
            names = self.plan.own_names
            edits = Edits({by_our_names(key, names): x for key, x in edits.by_name.items()})
        recorder = Recorder(self._paths, self.plan, edits, keep, chosen)
        given = passes.copied((args, dict(inputs)))
        recorder.begins(*given)
        return recorder, passes.run_on(self._model, *given, listener=recorder)


@contextmanager
def attached(
    model: nn.Module,
    *args: Any,  # noqa: ANN401
    known: Known | None = None,
    outputs: Sequence[str] | None = None,
    **inputs: Any,  # noqa: ANN401
) -> Iterator[Attached]:
    """Prepare a model for recording, and put it back as it was.

    `args` and `inputs` are any text; its pass shows the places of the model's parts, unless they
    are `known`. While it is attached, the model is in evaluation mode for all threads; for threads
    that do not record, nothing else changes. Raises ValueError if the model shows no attention.

    `outputs` are patterns of the ends of paths, such as `h.*` or `lm_head`. The outputs of these
    modules are also recorded, under names such as `transformer.h.0.output`. By default, they are
    those of the layers and of the whole model, if the pass proved no names of Loupe.
    """
    with _ready(model, known, outputs or ()) as (own, paths):
        if known:
            yield Attached(own, paths, known, outputs, is_kept=True)
            return
        yield Attached(own, paths, known_by(own, paths, args, inputs, outputs), outputs)


@contextmanager
def _ready(
    module: nn.Module, known: Known | None = None, outputs: Sequence[str] = ()
) -> Iterator[tuple[nn.Module, Paths]]:
    """Hook those modules that need hooks, without the wrappers of torch.compile."""
    module = getattr(module, "_orig_mod", module)
    paths = {part: _uncompiled(path) for path, part in module.named_modules()}
    if any(isinstance(part, torch.jit.ScriptModule) for part in paths):
        raise ValueError(
            "a module of torch.jit.script runs outside of Python, where nothing can be recorded; "
            "give the module from which it was made"
        )
    wanted = known.plan.heard if known and known.plan else None
    wanted = None if wanted is None else wanted | _fitting(paths.values(), outputs)
    with evaluating(paths), heard_attention(paths), hooked(paths, wanted):
        yield module, paths


def _fitting(paths: Iterable[str], patterns: Sequence[str]) -> frozenset[str]:
    return frozenset(path for path in paths if any(_fits(path, pattern) for pattern in patterns))


def _fits(path: str, pattern: str) -> bool:
    """Return whether a path ends as a pattern says, step by step; `*` matches within one step."""
    return PurePosixPath(path.replace(".", "/")).match(pattern.replace(".", "/"))


def _uncompiled(path: str) -> str:
    """Return a path without the steps that torch.compile adds to it."""
    return ".".join(step for step in path.split(".") if step != "_orig_mod")
