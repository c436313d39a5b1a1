"""One pass through a model as it happened: which module read what, gave what, and when."""

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
    """How many times the module ran before in this pass."""
    within: tuple["ModuleCall", ...]
    """The runs that this one is part of, the outermost first."""
    begins: int
    """When, counted in events."""
    input: Tensor | None
    output: Tensor | None = None
    ends: int = 0

    @property
    def is_norm(self) -> bool:
        """Whether this is a norm, by the name of its class or its own: one of them says so."""
        own = self.path.rpartition(".")[2]
        return "norm" in type(self.module).__name__.lower() or "norm" in own or own.startswith("ln")

    @property
    def is_linear(self) -> bool:
        """Whether this is one map of vectors; an embedding has a matrix as well."""
        weight = getattr(self.module, "weight", None)
        is_matrix = isinstance(weight, Tensor) and weight.dim() == 2
        return is_matrix and not isinstance(self.module, nn.Embedding)


@dataclass(frozen=True, eq=False)
class AttentionEvent:
    """One run of an attention."""

    module: ModuleCall
    nth: int
    """How many times the module attended before in this pass."""
    at: int
    merged: Tensor
    """All heads side by side, as the output projection reads them."""
    is_causal: bool | None
    """Whether no query read a later position; None if there was only one position."""
    turned: bool
    """Whether what reads its heads has positions in its first axis."""
    is_for_all_heads: bool
    """Whether all heads may read the same."""
    reads: Reads
    """Which tokens its rows and columns are."""


class Log(Listener):
    """A listener that writes down everything and changes nothing."""

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
        """Whether transformers' interface told each attention, and nothing that modules read or
        give was changed in place."""
        self.provenance = Provenance()
        self.texts: list[str | int] = []
        """The names of the inputs that hold texts, as `provenance` numbers them."""
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
        """Follow besides which tokens each result was made of."""
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
        """Note what a module reads."""
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
        """Note what a module gives."""
        while (noted := self._open.pop()) and (noted.path, noted.nth) != call:
            pass  # one that ended without giving anything
        noted.output, noted.ends = _copy(x), self._tick()
        self._flows(x)
        return x

    def overwrites(self, x: Tensor) -> None:
        """Note that what modules read or give is changed in place."""
        flowing = (each() for each in self._flowing)
        if any(each is not None and share_memory(x, each) for each in flowing):
            self.hooks_suffice = False

    def attends(self, path: str, call: AttentionCall) -> tuple[Tensor, Tensor]:
        """Note an attention. Raises ValueError where it is none that a record can describe."""
        self.hooks_suffice &= call.is_said
        heads, weights = call.compute(call.query, call.key, call.value, None, None)
        if call.is_said and not _is_softmax(call, weights):
            raise ValueError(
                f"the attention weights of {path} ({type(self._modules[path]).__name__}) are not "
                "the softmax of scaled products of queries and keys, which a record describes"
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
        """Why they are not recorded, by the paths of attentions and layers that ran and are not."""
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
