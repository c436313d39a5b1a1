"""Keeps the tensors of one pass by name, applies the edits, and makes the record."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import MultiheadAttention as MultiHead

from model.edit_patterns import EditsByPattern, is_wild
from model.edits import Edits
from model.foreign.recording.assembly import assembled, embedding_of
from model.foreign.recording.attention import AttentionCall, RecordedAttention
from model.foreign.recording.computed_again import NotEditableError
from model.foreign.recording.functions import Call, Listener, share_memory
from model.foreign.recording.graph_places import GraphPlace, place_of
from model.foreign.recording.keeping import ALL, Keep, PickedTrace
from model.foreign.recording.outputs import named_outputs
from model.foreign.recording.paths import Paths
from model.foreign.recording.plan import (
    APART,
    EMBEDDINGS,
    Plan,
    StalePlanError,
    Tap,
    output_name,
    own_name,
)
from model.foreign.recording.sums import is_sum_of, tensors_in
from model.tensor_names import HEAD_TENSORS
from model.traces import (
    TransformerTrace,
    changed_tensors,
    for_each_head,
    named_tensors,
    scaled_scores,
)

_OF_ATTENTIONS = ("query", "key", "value", "scores", "mask", "weights", "heads")
"""The tensors that the record of an attention holds."""
_LATELY = 2
"""The number of latest attentions whose tensors later functions may still change in place."""
_LAYER_OUTPUT = re.compile(r"((?:encoder|decoder)\.layers\.\d+)\.output")


class Recorder(Listener):
    """A listener that keeps tensors and applies edits.

    Without a plan it keeps only attentions, under the paths of their modules. It also keeps the
    outputs of modules that are chosen by path.
    """

    def __init__(
        self,
        paths: Paths,
        plan: Plan | None,
        edits: Edits,
        keep: Keep = ALL,
        chosen: Collection[str] = (),
    ) -> None:
        repeats = torch.is_grad_enabled() or any(_is_of_attention(name) for name in edits.by_name)
        super().__init__(paths, repeats=repeats)
        self._keeping = keep
        self._chosen = chosen
        self._plan = plan or Plan()
        self._is_planned = plan is not None
        self._edits = EditsByPattern(edits, self._plan.own_names)
        self._asked = frozenset(edits.by_name)
        self._attended: Counter[str] = Counter()
        self._projecting = {
            path: module for module, path in paths.items() if isinstance(module, MultiHead)
        }
        self._values: dict[str, Tensor] = {}
        self._generated: Tensor | None = None
        self.attentions: dict[str, RecordedAttention] = {}
        self.told_masks: list[Tensor] = []
        """The masks of all attentions, most of which share one."""
        self._outputs: list[str] = []
        self.gave: set[str] = set()
        """The paths of the chosen modules that returned a tensor."""
        self.follows_functions = plan is None or not plan.hooks_suffice
        self._is_followed = True
        self._before: dict[str, Tensor] = {}
        """One row of each tensor in a sum, as the model computed it."""
        self._after: dict[str, Tensor] = {}
        """The same rows after edits."""
        self.unsplit: list[str] = []
        """The names of attentions whose texts and heads share an axis."""
        self.graph_places: dict[str, GraphPlace] = {}
        """The places in torch's graph of tensors that the code itself does not use, by name."""
        self._names: set[str] = set()
        """The names of the tensors that could be edited."""

    def reads(self, call: Call, x: Tensor | None) -> Tensor | None:
        """Keep a module's input."""
        return self._keep(self._plan.entering.get(call, ()), x)

    def gives(self, call: Call, x: Tensor | None) -> Tensor | None:
        """Keep a module's output."""
        x = self._keep(self._plan.leaving.get(call, ()), x)
        if call == self._plan.generator and x is not None:
            self._generated = x
        if not self._is_planned and x is not None and call[0] in self._projecting:
            x = self._projected(call[0], x)
        if x is None or call[0] not in self._chosen:
            return x
        self.gave.add(call[0])
        name = output_name(*call)
        if name in self._names:  # the record has it
            return x
        self._outputs.append(name)
        return self._put(name, x)

    @property
    def outputs(self) -> dict[str, Tensor]:
        """The outputs of chosen modules, by name, that the record lacks.

        If tensors were requested by name, their record has these outputs as well.
        """
        names = (*self._plan.between, *self._outputs) if self._keeping.names is None else ()
        return {name: self._values[name] for name in names}

    def given(self, output: object, *, has_logits: bool) -> dict[str, Tensor]:
        """Return the outputs of the model, by name, that the record lacks.

        If there are logits, only single numbers such as a loss are returned.
        """
        found = {name: x for name, x in named_outputs(output) if not (has_logits and x.dim())}
        return {
            name: self._put(name, x)
            for name, x in found.items()
            if name not in self._names and self._keeping.wants(name)
        }

    def attends(self, path: str, call: AttentionCall) -> tuple[Tensor, Tensor]:
        """Keep the tensors of an attention."""
        base = self._name(path, self._attended[path])
        if call.is_unsplit and base is not None:
            self.unsplit.append(base)
        self._attended[path] += 1
        if base is None:
            self._is_followed = False
            return call.compute(call.query, call.key, call.value, None, None)
        try:
            return self._attend(base, call)
        except NotEditableError as error:
            names = sorted(
                name
                for name in self._names
                if name.startswith(f"{base}.") and self._edits.concern(name)
            )
            raise ValueError(f"{', '.join(names)} {error}") from error

    def overwrites(self, x: Tensor) -> None:
        """Copy kept tensors that share memory with one that code is about to change in place."""
        for name, value in self._values.items():
            if share_memory(x, value):
                self._values[name] = self._apart(name, value)
        for base in list(self.attentions)[-_LATELY:]:
            self.attentions[base] = changed_tensors(
                self.attentions[base],
                lambda name, value: self._apart(name, value) if share_memory(x, value) else value,
                f"{base}.",
            )

    def _apart(self, name: str, value: Tensor) -> Tensor:
        """Copy a tensor that is about to be changed, and remember its place in the graph."""
        if name not in self.graph_places and (place := place_of([value], lambda x: x)):
            self.graph_places[name] = place
        return value.clone()

    def trace(self, output: object) -> TransformerTrace:
        """Return the record of a pass by the plan, given the model's output."""
        given = None
        if (logits := self._logits(output)) is not None:
            given = self._given("logits", logits), self._given("output", self._values["logits"])
        return assembled(self._plan, self._values, self.attentions, given)

    def picked(self, output: object) -> PickedTrace:
        """Return the requested tensors of a pass, given the model's output.

        Raises ValueError if one of their patterns fits none.
        """
        found = dict(self._values)
        for stack in self._plan.stacks:
            if embedding := embedding_of(self._plan, self._values, stack):
                found |= named_tensors(embedding, f"{EMBEDDINGS[stack.side]}.")
        if self._is_planned and (logits := self._logits(output)) is not None:
            found["logits"] = self._put("logits", logits)
            found["output"] = self._put("output", found["logits"])
        has_logits = "logits" in found
        found |= self.given(output, has_logits=has_logits)
        self._keeping.check({**dict.fromkeys(self._names), **found})
        brought = self._keeping.brought
        return PickedTrace({n: brought(x) for n, x in found.items() if self._keeping.wants(n)})

    def check_followed(self, *, checks_sums: bool = True) -> None:
        """Raise StalePlanError if the pass differs from the plan."""
        if self._is_planned:
            attended = {name for call, name in self._plan.attentions.items() if self._saw(*call)}
            if not self._is_followed or self._plan.names - self._names - attended:
                raise StalePlanError("this pass differs from the plan")
            if any(
                map(self._edits.concern, self._outputs)
            ):  # these edits act after the terms of the sums were noted
                return
            for terms, total in self._plan.sums if checks_sums else ():
                if not is_sum_of([self._after[each] for each in terms], self._before[total]):
                    raise StalePlanError(f"{total} is not the sum in the plan")

    def check_all_used(self) -> None:
        """Raise ValueError if an edit names a tensor that the pass lacks, or heads it lacks."""
        for each in EMBEDDINGS.values():
            name, output = f"{each}.positions", f"{each}.output"
            if name in self._asked and name not in self._names and output in self._names:
                raise ValueError(
                    f"no module returns {name}: the positions come from a table or a formula, "
                    f"or there are none, so they cannot be edited; {output} can"
                )
        self._edits.check_used(self._names)

    def _saw(self, path: str, nth: int) -> bool:
        return self._attended[path] > nth

    @property
    def attended(self) -> bool:
        """Whether any attention was seen."""
        return bool(self._attended)

    def _given(self, name: str, value: Tensor) -> Tensor:
        self._put(name, value)
        return self._values[name]

    def _name(self, path: str, nth: int) -> str | None:
        return self._plan.attentions.get((path, nth)) if self._is_planned else own_name(path, nth)

    def _logits(self, output: object) -> Tensor | None:
        """Find the logits in the model's output: by their name, or as the generator's output."""
        if isinstance(output, Mapping):
            logits = output.get("logits")
        else:
            logits = next(tensors_in(output), None)
            logits = logits if logits is self._generated else None
            if logits is not None and self._plan.turns_logits:
                logits = logits.transpose(0, 1)
        return logits if isinstance(logits, Tensor) and logits.dim() == 3 else None

    def _projected(self, path: str, x: Tensor) -> Tensor:
        """Keep the output of torch's multi-head attention, whatever the order of its axes."""
        name = self._name(path, self._attended[path] - 1)
        if f"{name}.query" not in self._names:
            return x
        is_turned = x.dim() == 3 and not self._projecting[path].batch_first
        output = x.transpose(0, 1) if is_turned else x if x.dim() == 3 else x[None]
        kept = self._put(f"{name}.output", output)
        if name in self.attentions:
            brought = self._keeping.brought(kept)
            self.attentions[name] = replace(self.attentions[name], output=brought)
        if kept is output:
            return x
        return kept.transpose(0, 1) if is_turned else kept.reshape(x.shape)

    def _keep(self, taps: Sequence[Tap], x: Tensor | None) -> Tensor | None:
        if x is None:
            return None
        for tap in taps:
            whole = x if tap.factor == 1 else x * tap.factor
            whole = whole.transpose(0, 1) if tap.turned else whole
            seen = whole[0] if tap.one_for_all and _is_one(whole) else whole
            if tap.name.startswith(APART):
                self._before[tap.name] = self._after[tap.name] = _row_of(seen)
                continue
            kept = self._put(tap.name, seen)
            # With gradients, the module continues with the kept tensor, so that it has a gradient.
            if kept is seen and (seen is x or tap.in_place or not x.requires_grad):
                continue
            new = (kept if tap.factor == 1 else kept / tap.factor).expand_as(whole)
            new = new.transpose(0, 1) if tap.turned else new
            if tap.in_place:
                self.overwrites(x)
                x.copy_(new)
            else:
                x = new
        return x

    def _put(self, name: str, value: Tensor) -> Tensor:
        self._names.add(name)
        is_summed = name in self._plan.summed
        if is_summed:
            self._before[name] = _row_of(value)
        last = name.rpartition(".")[2]
        is_edited = self._edits.concern(name)
        if is_edited:
            edits = self._edits.of(name)
            heads = next((key for key in edits.by_name if key.startswith(f"{last}[")), None)
            if heads and last not in HEAD_TENSORS:
                raise ValueError(f"{name} has no heads to choose from, got {heads!r}")
            layer = _LAYER_OUTPUT.fullmatch(name)
            bypass = self._values.get(f"{layer[1]}.input") if layer else None
            value = edits.apply(last, value, bypass=bypass)
        if is_summed:
            self._after[name] = _row_of(value) if is_edited else self._before[name]
        if last not in _OF_ATTENTIONS and self._has_use_for(name):
            self._values[name] = self._keeping.brought(value)
        return value

    def _has_use_for(self, name: str) -> bool:
        """Return whether a tensor is kept; an embedding is kept whole, to derive its positions."""
        return self._keeping.wants(name) or name.startswith(tuple(EMBEDDINGS.values()))

    def _attend(self, base: str, call: AttentionCall) -> tuple[Tensor, Tensor]:
        query = self._put(f"{base}.query", call.query)
        key = self._put(f"{base}.key", call.key)
        value = self._put(f"{base}.value", call.value)
        bias = call.bias_after(query, key) if call.bias_after else call.bias
        mask, scores = self._mask(base, call), None
        self._names.add(f"{base}.scores")
        if self._edits.concern(f"{base}.scores"):
            plain = scaled_scores(query, key, call.scale, bias, call.softcap)
            kept = self._put(f"{base}.scores", plain)
            scores = None if kept is plain else kept
        heads, weights = call.compute(query, key, value, scores, mask)
        mask = call.mask if mask is None else mask
        self.told_masks.append(call.mask)
        kept = self._put(f"{base}.weights", _nothing_where_all_is_hidden(weights, scores, mask))
        if kept is not weights:
            weights, heads = kept, kept @ for_each_head(value, kept.size(1))
        heads = self._put(f"{base}.heads", heads)
        parts = (query, key, value, weights, heads)
        for (part, view), x in zip(call.views.items(), parts, strict=False):
            if x is view.made and (place := place_of(view.tensors, view.bring)):
                self.graph_places[f"{base}.{part}"] = place
        self._keep_attention(
            base,
            RecordedAttention(
                query=query,
                key=key,
                value=value,
                scale=call.scale,
                bias=bias,
                edited_scores=scores,
                mask=mask,
                weights=weights,
                heads=heads,
                softcap=call.softcap,
                reads_itself=call.reads_itself,
            ),
        )
        return heads, weights

    def _keep_attention(self, base: str, attention: RecordedAttention) -> None:
        """Keep an attention whole or, if names are requested, only the tensors that these name."""
        if self._keeping.names is None:
            self.attentions[base] = changed_tensors(
                attention, lambda _, x: self._keeping.brought(x)
            )
            return
        for part in (*_OF_ATTENTIONS, "bias"):
            name = f"{base}.{part}"
            if part == "bias" and attention.bias is not None:
                self._names.add(name)
            if self._keeping.wants(name) and (x := getattr(attention, part)) is not None:
                x = x[:, 0] if part == "mask" and self._is_planned else x
                self._values[name] = self._keeping.brought(x)

    def _mask(self, base: str, call: AttentionCall) -> Tensor | None:
        """Return a mask that replaces the attention's own; None if no edit makes one."""
        self._names.add(f"{base}.mask")
        if not self._edits.concern(f"{base}.mask"):
            return None
        wide = call.mask.expand(call.query.size(0), -1, call.query.size(2), -1)
        if self._is_planned:  # a mask in Loupe's records has no head axis
            return self._put(f"{base}.mask", wide[:, 0]).unsqueeze(1)
        new = self._put(f"{base}.mask", wide)
        return None if new is wide else new


def _row_of(x: Tensor) -> Tensor:
    """Return the last position of the first text."""
    return x.detach()[(0,) * (x.dim() - 2) + (-1,)].clone()


def _is_of_attention(name: str) -> bool:
    last = name.partition("[")[0].rpartition(".")[2]
    return is_wild(last) or last in _OF_ATTENTIONS


def _nothing_where_all_is_hidden(weights: Tensor, scores: Tensor | None, mask: Tensor) -> Tensor:
    """Let a query read nothing if edited scores leave it no key, as in Loupe's own attention."""
    if scores is None:
        return weights
    hidden = scores == -float("inf")
    if not hidden.any():
        return weights
    is_left = (mask & ~hidden).any(dim=-1, keepdim=True)
    return weights.masked_fill(hidden.any(dim=-1, keepdim=True) & ~is_left, 0.0)


def _is_one(x: Tensor) -> bool:
    """Return whether all texts have the same rows, unlike texts padded on the left."""
    return x.dim() == 3 and (len(x) == 1 or bool((x == x[:1]).all()))
