"""Logs one pass through a model: which module read and returned which tensor, and when."""

import weakref
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn
from torch.nn import functional

from model.foreign.recording.attention import AttentionCall, is_causal, is_softmax_of
from model.foreign.recording.function_kinds import kind_of
from model.foreign.recording.functions import Call, Listener, share_memory
from model.foreign.recording.missing import Unrecorded, layers_between
from model.foreign.recording.paths import Paths
from model.foreign.recording.provenance import Provenance
from model.foreign.recording.reads import Reads, reads_of, text_inputs
from model.traces import scaled_scores


@dataclass(eq=False)
class ModuleCall:
    """One run of a module."""

    module: nn.Module
    path: str
    nth: int
    """The number of earlier runs of the module in this pass."""
    within: tuple["ModuleCall", ...]
    """The runs that contain this one, the outermost first."""
    begins: int
    """The number of the event at which it began."""
    input: Tensor | None
    output: Tensor | None = None
    ends: int = 0

    @property
    def is_norm(self) -> bool:
        """Whether this is a norm, judging by the name of its class or its own name."""
        own = self.path.rpartition(".")[2]
        return "norm" in type(self.module).__name__.lower() or "norm" in own or own.startswith("ln")

    @property
    def is_linear(self) -> bool:
        """Whether this is a linear map; an embedding, which has a matrix as well, is not."""
        weight = getattr(self.module, "weight", None)
        is_matrix = isinstance(weight, Tensor) and weight.dim() == 2
        return is_matrix and not isinstance(self.module, nn.Embedding)


@dataclass(frozen=True, eq=False)
class AttentionEvent:
    """One run of an attention."""

    module: ModuleCall
    nth: int
    """The number of earlier attentions of the module in this pass."""
    at: int
    merged: Tensor
    """All heads side by side, as the output projection reads them."""
    is_causal: bool | None
    """Whether no query read a later position; None if there was only one position."""
    turned: bool
    """Whether the code that reads its heads has positions in the first axis."""
    is_for_all_heads: bool
    """Whether its mask is the same for all heads."""
    reads: Reads
    """The tokens behind its rows and columns."""


class Log(Listener):
    """A listener that notes everything and changes nothing."""

    def __init__(self, paths: Paths) -> None:
        super().__init__(paths)
        self.calls: list[ModuleCall] = []
        self.attentions: list[AttentionEvent] = []
        self.root = self._modules[""]
        self._open: list[ModuleCall] = []
        self._attended: Counter[str] = Counter()
        self._now = 0
        self._flowing: list[weakref.ref[Tensor]] = []
        self.hooks_suffice = True
        """Whether transformers' interface reported every attention, and no input or output of a
        module was changed in place."""
        self.provenance = Provenance()
        self.texts: list[str | int] = []
        """The names of the inputs that hold texts, numbered as in `provenance`."""
        self.unrecorded = Unrecorded()
        self._batch = 0
        self._projected: tuple[Tensor, Tensor] | None = None

    def begins(self, *given: Any) -> None:  # noqa: ANN401
        """Note the model's arguments before it runs."""
        super().begins(*given)
        args, inputs = given
        for name, x in text_inputs(args, inputs):
            self.texts.append(name)
            self.provenance.begin(x)
            self._batch = self._batch or x.size(0)

    def __torch_function__(
        self,
        func: Callable,
        types: Any,  # noqa: ANN401
        args: tuple = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401
        """Also follow which tokens each result was made from."""
        if self._asleep or kind_of(func).asks:
            return func(*args, **(kwargs or {}))
        if func is functional.multi_head_attention_forward:
            query, key = (*args, *(kwargs or {}).values())[:2]
            self._projected = query, key
        made = super().__torch_function__(func, types, args, kwargs)
        self._projected = None
        self.provenance.follow(func, args, kwargs or {}, made)
        self.unrecorded.note(func, args, self._running, self.provenance)
        return made

    def reads(self, call: Call, x: Tensor | None) -> Tensor | None:
        """Note a module's input."""
        path, nth = call
        noted = ModuleCall(
            module=self._modules[path],
            path=path,
            nth=nth,
            within=tuple(self._open),
            begins=self._tick(),
            input=_copy(x),
        )
        self._flows(x)
        self.calls.append(noted)
        self._open.append(noted)
        return x

    def gives(self, call: Call, x: Tensor | None) -> Tensor | None:
        """Note a module's output."""
        while (noted := self._open.pop()) and (noted.path, noted.nth) != call:
            pass  # a run that ended without an output
        noted.output, noted.ends = _copy(x), self._tick()
        self._flows(x)
        return x

    def overwrites(self, x: Tensor) -> None:
        """Note that an input or output of a module is changed in place."""
        flowing = (each() for each in self._flowing)
        if any(each is not None and share_memory(x, each) for each in flowing):
            self.hooks_suffice = False

    def attends(self, path: str, call: AttentionCall) -> tuple[Tensor, Tensor]:
        """Note an attention. Raises ValueError if a record cannot describe it."""
        self.hooks_suffice &= call.is_said
        heads, weights = call.compute(call.query, call.key, call.value, None, None)
        if call.is_said and not _is_softmax(call, weights):
            raise ValueError(
                f"the attention weights of {path} ({type(self._modules[path]).__name__}) are not "
                "the softmax of scaled products of queries and keys, so they cannot be recorded"
            )
        n_queries = call.query.size(2)
        is_alone = n_queries == call.key.size(2) == 1
        self.provenance.tell(heads, call.query)
        reads = reads_of(call, self.provenance, self._projected, self._batch)
        if reads.is_causal is not None:
            causal: bool | None = reads.is_causal
        elif is_alone:
            causal = getattr(self._modules[path], "is_causal", None)
        else:
            causal = is_causal(call.mask, n_queries)
        self.attentions.append(
            AttentionEvent(
                module=next((x for x in reversed(self.calls) if x.path == path), self._open[-1]),
                nth=self._attended[path],
                at=self._tick(),
                merged=heads.transpose(1, 2).flatten(2).clone(),
                is_causal=causal,
                turned=call.turned,
                is_for_all_heads=call.mask.size(1) == 1,
                reads=reads,
            )
        )
        self._attended[path] += 1
        return heads, weights

    @property
    def missing(self) -> dict[str, str]:
        """The reason for each attention and layer that ran but is not recorded, by path."""
        recorded = {event.module.path for event in self.attentions}
        attentions = self.unrecorded.attentions(recorded)
        ran = dict.fromkeys(call.path for call in self.calls)
        return attentions | layers_between(self.paths, ran, recorded, attentions)

    def _flows(self, x: Tensor | None) -> None:
        if x is not None:
            self._flowing.append(weakref.ref(x))

    def _tick(self) -> int:
        self._now += 1
        return self._now


def _is_softmax(call: AttentionCall, weights: Tensor) -> bool:
    scores = scaled_scores(call.query, call.key, call.scale, call.bias, call.softcap)
    return is_softmax_of(weights, scores, call.mask)


def _copy(x: Tensor | None) -> Tensor | None:
    return None if x is None else x.detach().clone()
