"""Finds a model's parts by the values that flow through it, not by the names of its modules.

The first linear map that reads an attention's merged heads is its output projection. A tensor that
equals the layer's input plus that projection is the residual stream. Other parts are found in the
same way: each is accepted if an equation holds between the tensors of one pass. Parts that no
equation proves are left out.
"""

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor, nn

from model.anatomy import Placement
from model.foreign.recording.embedding import add_embedding
from model.foreign.recording.log import AttentionEvent, Log, ModuleCall
from model.foreign.recording.plan import APART, EMBEDDINGS, Equation, Plan, Side, StackPlan, Tap
from model.foreign.recording.stacks import (
    LayerCall,
    layers_between_in,
    layers_of_stacks,
    numbers_in,
    sides_of,
)
from model.foreign.recording.sums import Sum
from model.traces import present


def find_parts(log: Log, ids: Mapping[Side, Tensor]) -> Plan:
    """Find the parts in the log of one pass, given the token ids that each stack read.

    Raises ValueError if the attentions are not in one stack of layers, or in an encoder's and a
    decoder's, or if an attention has no output projection.
    """
    found = Plan(hooks_suffice=log.hooks_suffice)
    grouped = layers_of_stacks(log)
    ran: list[range] = []
    sides = sides_of(grouped)
    for side, layers in zip(sides, grouped, strict=True):
        between = layers_between_in(log, layers)
        whole = [layer.call for layer in layers] + list(between.values())
        first = min(whole, key=lambda call: call.begins)
        last = max(whole, key=lambda call: call.ends)
        before = [
            call
            for call in log.calls
            if call.begins < first.begins and not any(call.begins in each for each in ran)
        ]
        if ran:  # if both texts are equal, the later calls are the decoder's
            before.reverse()
        numbers = numbers_in(log, layers)
        names = [f"{side}.layers.{number}" for number in numbers]
        searched = [_Layer(log, *pair) for pair in zip(layers, names, strict=True)]
        turned = searched[0].turned
        if side in ids:
            name = EMBEDDINGS[side]
            add_embedding(found, name, log, before, first, ids[side], turned=turned)
        for i, layer in enumerate(searched):
            found.enters(layers[i].call, Tap(f"{names[i]}.input", turned=turned))
            layer.add_to(found)
            is_next = i + 1 < len(layers) and numbers[i + 1] == numbers[i] + 1
            following = layers[i + 1].call.input if is_next else None
            by_itself = any(event.module is layers[i].call for event in layers[i].attentions)
            if following is None and by_itself and not layer.adds_up:
                raise ValueError(
                    f"{layers[i].call.path} is itself an attention, and its output is not its "
                    "input plus something: no residual stream was found"
                )
            if following is not None and not (
                layer.adds_up or _equal(layers[i].call.output, following)
            ):
                raise ValueError(
                    f"the output of {layers[i].call.path} is neither its input plus something nor "
                    "the input of the next layer: no residual stream was found"
                )
        for number, call in between.items():
            base = f"{side}.layers.{number}"
            found.enters(call, Tap(f"{base}.input", turned=turned))
            found.leaves(call, Tap(f"{base}.output", turned=turned))
            found.between = (*found.between, f"{base}.input", f"{base}.output")
        output = _add_output(log, last, found, Tap(f"{side}.output", turned=turned))
        ran.append(range(first.begins, last.ends))
        found.stacks.append(StackPlan(side, searched[0].placement, numbers))
        if side == sides[-1]:
            _add_generator(log, output, found, turned=turned)
    return found


def _equal(a: Tensor | None, b: Tensor | None) -> bool:
    return a is not None and b is not None and a.shape == b.shape and torch.equal(a, b)


class _Layer:
    """The search for the parts of one layer."""

    def __init__(self, log: Log, layer: LayerCall, name: str) -> None:
        self._name = name
        self._call = layer.call
        self._attentions = layer.attentions
        self._parts = [call for call in log.calls if layer.call in call.within]
        x, y = layer.call.input, layer.call.output
        if x is None or y is None:
            raise ValueError(
                f"{layer.call.path} does not read one tensor and return one, as a layer does"
            )
        self.turned = all(
            event.turned or _is_turned(event.module.module) for event in layer.attentions
        )
        """Whether its tensors have positions in their first axis."""
        sizes = x.transpose(0, 1).shape[:2] if self.turned else x.shape[:2]
        for event in layer.attentions:
            if event.merged.shape[:2] != sizes or not event.is_for_all_heads:
                raise ValueError(
                    f"the tensors of {layer.call.path} do not have the axes of a record, or its "
                    "mask is not the same for all heads"
                )
        self._x, self._y = x, y
        self._is_normed_inside = self._is_parallel = False
        self._since = 0
        self.adds_up = False
        """Whether an equation holds between the layer's input and the outputs of its parts."""
        norms = [call for call in self._parts if call.is_norm]
        self._ends_with_norm = bool(norms) and _equal(norms[-1].output, y)

    def add_to(self, found: Plan) -> None:
        """Add the parts of the layer to a plan."""
        parallel = stream = Sum.of(self._x)
        parallel_of = stream_of = (f"{self._name}.input",)
        is_known = True
        since = 0
        for part, event in zip(("self_attn", "cross_attn"), self._attentions, strict=False):
            base = f"{self._name}.{part}"
            found.attentions[event.module.path, event.nth] = base
            projection, output = self._projection(event)
            if output.shape != self._x.shape:
                raise ValueError(
                    f"{event.module.path} returns vectors of {output.size(-1)} numbers, but the "
                    f"layer around it reads {self._x.size(-1)}: no residual stream was found"
                )
            found.leaves(projection, self._tap(f"{base}.output"))
            since = projection.begins
            parallel, parallel_of = parallel.plus(output), (*parallel_of, f"{base}.output")
            if is_known:
                name = f"{self._name}.after_{part}"
                after = self._after(stream, stream_of, output, since, name, found)
                is_known = after is not None
                stream = stream if after is None else Sum.of(after)
                stream_of = stream_of if after is None else (name,)
        self._is_parallel = not is_known
        self._since = since
        total, terms = (stream, stream_of) if is_known else (parallel, parallel_of)
        has_network = self._add_feed_forward(total, terms, since, found)
        self.adds_up = is_known or has_network
        found.leaves(self._call, self._tap(f"{self._name}.output"))

    @property
    def placement(self) -> Placement:
        """The placement of the norms, known once the parts have been searched for."""
        if self._ends_with_norm:
            return "post"
        if self._is_parallel:
            return "parallel"
        return "both" if self._is_normed_inside else "pre"

    def _tap(self, name: str, *, in_place: bool = False) -> Tap:
        return Tap(name, in_place=in_place, turned=self.turned)

    def _projection(self, event: AttentionEvent) -> tuple[ModuleCall, Tensor]:
        whole = event.module
        if isinstance(whole.module, nn.MultiheadAttention) and whole.output is not None:
            return whole, whole.output
        merged = event.merged.transpose(0, 1) if event.turned else event.merged
        for call in self._parts:
            if call.begins > event.at and call.is_linear and _equal(call.input, merged):
                return call, present(call.output)
        raise ValueError(
            f"found no linear layer that reads the merged heads of {event.module.path}, as the "
            "output projection of an attention does"
        )

    def _after(
        self,
        stream: Sum,
        stream_of: tuple[str, ...],
        output: Tensor,
        since: int,
        name: str,
        found: Plan,
    ) -> Tensor | None:
        """Find the residual stream after an attention, and return it; None if it is not found."""
        added_name = f"{name.replace('.after_', '.')}.output"
        for norm, added in self._with_norms(output, since):
            total = stream.plus(added)
            for call, is_input, x in self._events(since):
                if not total.is_(x):
                    continue
                self._is_normed_inside = added is not output
                terms = (*stream_of, self._term(norm, added_name, found))
                if is_input and call.is_norm and self._ends_with_norm:
                    found.leaves(call, self._tap(name))
                    found.enters(call, self._tap(f"{APART}{name}"))
                    found.sums.append(Equation(terms, f"{APART}{name}"))
                    return call.output
                found.sums.append(Equation(terms, name))
                (found.enters if is_input else found.leaves)(call, self._tap(name, in_place=True))
                return x
            if total.is_(self._y):
                found.leaves(self._call, self._tap(name))
                terms = (*stream_of, self._term(norm, added_name, found))
                found.sums.append(Equation(terms, name))
                return self._y
        return None

    def _with_norms(self, output: Tensor, since: int) -> Iterator[tuple[ModuleCall | None, Tensor]]:
        """Yield a part's output, and the outputs of this layer's norms that read it."""
        yield None, output
        for norm in self._norms_of(Sum.of(output), since):
            yield norm, present(norm.output)

    def _term(self, norm: ModuleCall | None, name: str, found: Plan) -> str:
        """Return the name of the added tensor: a part's output, or the output of its norm."""
        if norm is None:
            return name
        found.leaves(norm, self._tap(f"{APART}{name}"))
        return f"{APART}{name}"

    def _add_feed_forward(
        self, stream: Sum, stream_of: tuple[str, ...], since: int, found: Plan
    ) -> bool:
        later = [call for call in self._parts if call.begins > since and call.output is not None]
        name = f"{self._name}.feed_forward"
        maps = [call for call in later if call.is_linear]
        if maps and self._ends_in(stream, stream_of, maps[-1], name, found):
            found.enters(maps[-1], self._tap(f"{name}.hidden"))
            found.leaves(maps[-1], self._tap(f"{name}.output"))
            return True
        for call in reversed(later):
            if self._ends_in(stream, stream_of, call, name, found):
                found.leaves(call, self._tap(f"{name}.output"))
                return True
        return False

    def _ends_in(
        self, stream: Sum, stream_of: tuple[str, ...], part: ModuleCall, name: str, found: Plan
    ) -> bool:
        """Return whether the layer's output is the stream plus a part's output, or its norm."""
        output, since = present(part.output), self._since
        if output.shape != self._y.shape:
            return False
        for inner, added in self._with_norms(output, since):
            total = stream.plus(added)
            if not total.would_miss(added):
                continue
            last = next((x for x in self._norms_of(total, since) if self._is_end(x)), None)
            if not total.is_(self._y) and last is None:
                continue
            ends = f"{self._name}.output"
            if last is not None and not total.is_(self._y):
                ends = f"{APART}{ends}"
                found.enters(last, self._tap(ends))
            terms = (*stream_of, self._term(inner, f"{name}.output", found))
            found.sums.append(Equation(terms, ends))
            return True
        return False

    def _is_end(self, norm: ModuleCall) -> bool:
        return Sum.of(present(norm.output)).is_(self._y)

    def _norms_of(self, x: Sum, since: int) -> list[ModuleCall]:
        """Return the norms of this layer that read a tensor and have an output."""
        norms = [call for call in self._parts if call.is_norm and call.begins > since]
        return [call for call in norms if call.output is not None and x.is_(call.input)]

    def _events(self, since: int) -> Iterator[tuple[ModuleCall, bool, Tensor]]:
        events = []
        for call in self._parts:
            if call.input is not None and call.begins > since:
                events.append((call.begins, call, True, call.input))
            if call.output is not None and call.ends > since:
                events.append((call.ends, call, False, call.output))
        for _, call, is_input, x in sorted(events, key=lambda event: event[0]):
            yield call, is_input, x


def _is_turned(module: nn.Module) -> bool:
    return isinstance(module, nn.MultiheadAttention) and not module.batch_first


def _add_output(log: Log, last: ModuleCall, found: Plan, tap: Tap) -> ModuleCall:
    """Add a stack's output: that of its final norm, or else of its last layer."""
    later = (call for call in log.calls if call.begins > last.ends and call.is_norm)
    end = next((call for call in later if _equal(call.input, last.output)), last)
    found.leaves(end, tap)
    return end


def _add_generator(log: Log, end: ModuleCall, found: Plan, *, turned: bool) -> None:
    """Add the linear map that reads a stack's output, in either order of the axes."""
    x = present(end.output)
    for call in log.calls:
        if call.begins > end.ends and call.is_linear and call.input is not None:
            if _equal(call.input, x):
                found.generator, found.turns_logits = (call.path, call.nth), turned
                return
            if turned and _equal(call.input, x.transpose(0, 1)):
                found.generator = call.path, call.nth
                return
