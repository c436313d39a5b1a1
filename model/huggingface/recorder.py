"""What a model computed in one pass, by name, and the record that is made of it."""

import re
from collections import Counter
from collections.abc import Callable
from functools import partial

from torch import Tensor

from model.edits import Edits
from model.huggingface.attention import AttentionCall
from model.huggingface.formula import Terms, added_for, mixed, scores_of, terms_of
from model.huggingface.plan import EMBEDDINGS, Plan, StackPlan, Tap
from model.listening import Paths
from model.traces import (
    AttentionTrace,
    DecoderLayerTrace,
    DecoderTrace,
    EmbeddingTrace,
    EncoderLayerTrace,
    EncoderTrace,
    FeedForwardTrace,
    TransformerTrace,
)

_LAYER_OUTPUT = re.compile(r"((?:encoder|decoder)\.layers\.\d+)\.output")


class Recorder:
    """A listener that keeps what it hears, and makes the edits."""

    def __init__(self, paths: Paths, plan: Plan, edits: Edits) -> None:
        self.paths = paths
        self._plan = plan
        self._edits = edits
        self._edited = {name.partition("[")[0] for name in edits.by_name}
        self._ran: Counter[str] = Counter()
        self._values: dict[str, Tensor] = {}
        self._attentions: dict[str, Callable[..., AttentionTrace]] = {}
        """What is to be told of an attention's output, which comes later."""

    def enters(self, path: str, x: Tensor | None) -> Tensor | None:
        """Keep what a module reads."""
        call = path, self._ran[path]
        self._ran[path] += 1
        return self._keep(self._plan.entering.get(call, ()), x)

    def leaves(self, path: str, x: Tensor | None) -> Tensor | None:
        """Keep what a module gives."""
        return self._keep(self._plan.leaving.get((path, self._ran[path] - 1), ()), x)

    def attends(self, path: str, call: AttentionCall) -> tuple[Tensor, Tensor]:
        """Keep what an attention computes."""
        base = self._plan.attentions.get((path, self._ran[path] - 1))
        if base is None:
            return call.own(
                call.module, call.query, call.key, call.value, call.added, **call.options
            )
        heads, weights = self._attend(base, call)
        return heads.transpose(1, 2), weights

    def trace(self, logits: Tensor | None) -> TransformerTrace:
        """Give the record of the pass."""
        stacks = {stack.side: stack for stack in self._plan.stacks}
        embeddings = {side: self._embedding(stack) for side, stack in stacks.items()}
        if logits is not None and logits.dim() == 3:
            logits = self._put("logits", logits)
            output = self._put("output", logits)
        else:
            logits = output = None
        return TransformerTrace(
            source_embedding=embeddings.get("encoder"),
            encoder=self._encoder(stacks["encoder"]) if "encoder" in stacks else None,
            target_embedding=embeddings.get("decoder"),
            decoder=self._decoder(stacks["decoder"]) if "decoder" in stacks else None,
            logits=logits,
            output=output,
        )

    def _keep(self, taps: tuple[Tap, ...], x: Tensor | None) -> Tensor | None:
        if x is None:
            return None
        for tap in taps:
            seen = x if tap.factor == 1 else x * tap.factor
            if tap.one_for_all and seen.dim() == 3:
                seen = seen[0]
            kept = self._put(tap.name, seen)
            if kept is seen:
                continue
            new = (kept if tap.factor == 1 else kept / tap.factor).expand_as(x)
            x = x.copy_(new) if tap.in_place else new
        return x

    def _put(self, name: str, value: Tensor) -> Tensor:
        if name in self._edited:
            module, _, last = name.rpartition(".")
            edits = self._edits.part(module) if module else self._edits
            layer = _LAYER_OUTPUT.fullmatch(name)
            bypass = self._values.get(f"{layer[1]}.input") if layer else None
            value = edits.apply(last, value, bypass=bypass)
        self._values[name] = value
        return value

    def _attend(self, base: str, call: AttentionCall) -> tuple[Tensor, Tensor]:
        query = self._put(f"{base}.query", call.query)
        key = self._put(f"{base}.key", call.key)
        value = self._put(f"{base}.value", call.value)
        terms = terms_of(call)
        mask, added = self._mask(base, call, terms)
        scores = None
        if f"{base}.scores" in self._edited:
            plain = scores_of(query, key, terms)
            scores = self._put(f"{base}.scores", plain)
            if scores is not plain:
                change = scores - plain
                added = change if added is None else added + change
        heads, weights = call.own(call.module, query, key, value, added, **call.options)
        heads = heads.transpose(1, 2)
        kept = self._put(f"{base}.weights", _nothing_where_all_is_hidden(weights, scores, mask))
        if kept is not weights:
            weights, heads = kept, mixed(kept, value)
        heads = self._put(f"{base}.heads", heads)
        self._attentions[base] = partial(
            AttentionTrace,
            query=query,
            key=key,
            value=value,
            scale=terms.scale,
            bias=terms.bias,
            edited_scores=scores,
            mask=mask,
            weights=weights,
            heads=heads,
            softcap=terms.cap,
        )
        return heads, weights

    def _mask(self, base: str, call: AttentionCall, terms: Terms) -> tuple[Tensor, Tensor | None]:
        if f"{base}.mask" not in self._edited:
            return terms.mask, call.added
        batch, _, n_queries, _ = call.query.shape
        mask = terms.mask.expand(batch, n_queries, -1)
        new = self._put(f"{base}.mask", mask)
        return new, added_for(call, mask, new)

    def _attention(self, base: str) -> AttentionTrace:
        return self._attentions[base](output=self._values[f"{base}.output"])

    def _feed_forward(self, layer: str) -> FeedForwardTrace | None:
        output = self._values.get(f"{layer}.feed_forward.output")
        if output is None:
            return None
        return FeedForwardTrace(self._values.get(f"{layer}.feed_forward.hidden"), output)

    def _embedding(self, stack: StackPlan) -> EmbeddingTrace | None:
        if not stack.is_embedded:
            return None
        name = EMBEDDINGS[stack.side]
        tokens = self._values[f"{name}.tokens"]
        none = tokens.new_zeros(tokens.shape[1:])
        return EmbeddingTrace(
            tokens=tokens,
            positions=self._values[f"{name}.positions"] if stack.has_positions else none,
            segments=self._values.get(f"{name}.segments"),
            output=self._values[f"{name}.output"],
        )

    def _encoder(self, stack: StackPlan) -> EncoderTrace:
        layers = []
        for i in range(stack.n_layers):
            name = f"encoder.layers.{i}"
            layers.append(
                EncoderLayerTrace(
                    input=self._values[f"{name}.input"],
                    self_attn=self._attention(f"{name}.self_attn"),
                    after_self_attn=self._values.get(f"{name}.after_self_attn"),
                    feed_forward=self._feed_forward(name),
                    output=self._values[f"{name}.output"],
                )
            )
        return EncoderTrace(tuple(layers), self._values["encoder.output"])

    def _decoder(self, stack: StackPlan) -> DecoderTrace:
        layers = []
        for i in range(stack.n_layers):
            name = f"decoder.layers.{i}"
            crosses = stack.crosses
            layers.append(
                DecoderLayerTrace(
                    input=self._values[f"{name}.input"],
                    self_attn=self._attention(f"{name}.self_attn"),
                    after_self_attn=self._values.get(f"{name}.after_self_attn"),
                    cross_attn=self._attention(f"{name}.cross_attn") if crosses else None,
                    after_cross_attn=self._values.get(f"{name}.after_cross_attn"),
                    feed_forward=self._feed_forward(name),
                    output=self._values[f"{name}.output"],
                )
            )
        return DecoderTrace(tuple(layers), self._values["decoder.output"])


def _nothing_where_all_is_hidden(weights: Tensor, scores: Tensor | None, mask: Tensor) -> Tensor:
    """Let a query read nothing where edited scores leave it no key, as our own attention does."""
    if scores is None:
        return weights
    hidden = scores == -float("inf")
    if not hidden.any():
        return weights
    is_left = (mask.unsqueeze(1) & ~hidden).any(dim=-1, keepdim=True)
    return weights.masked_fill(hidden.any(dim=-1, keepdim=True) & ~is_left, 0.0)
