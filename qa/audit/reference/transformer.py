"""The encoder, the decoder, and greedy decoding without a cache, as sections 3 and 5 write them."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa.audit.reference.files import Array, Files
from qa.audit.reference.layers import (
    ACTIVATIONS,
    Mask,
    attend,
    layer_norm,
    log_softmax,
    position_vectors,
    relative_bucket,
    rms_norm,
    softmax,
    split_heads,
    turned,
    unbiased_norm,
)

Change = Callable[[Array], Array]
"""A function that changes one captured tensor."""
KINDS = {
    "encoder self-attention": ("encoder", "self_attn"),
    "decoder self-attention": ("decoder", "self_attn"),
    "cross-attention": ("decoder", "cross_attn"),
}
"""Stack and sublayer of each kind of attention, by its name on the pages."""


@dataclass(frozen=True)
class Pass:
    """One forward pass: tensors by the app's names, without the batch axis."""

    tensors: dict[str, Array]
    config: Mapping[str, Any]

    def weights(self, kind: str) -> Array:
        """(layer, head, query, key)."""
        return self.stacked(kind, "weights")

    def stacked(self, kind: str, what: str) -> Array:
        """Stack one captured part over all layers of a kind."""
        stack, part = KINDS[kind]
        layers = range(self.config[f"n_{stack}_layers"])
        return np.stack([self.tensors[f"{stack}.layers.{i}.{part}.{what}"] for i in layers])

    @property
    def kinds(self) -> list[str]:
        return [
            kind
            for kind, (stack, part) in KINDS.items()
            if f"{stack}.layers.0.{part}.weights" in self.tensors
        ]


class Reference:
    """One checkpoint in float64, with changes to captured tensors if the run has some."""

    def __init__(self, files: Files, changes: Mapping[str, Change] | None = None) -> None:
        self.files, self.config = files, files.config
        self.changes = dict(changes or {})
        self.d_model = self.config["d_model"]
        self._seen: dict[str, Array] = {}
        """The pass that is being computed."""

    def has(self, stack: str) -> bool:
        """Return whether there is an encoder, or a decoder."""
        return self.config[f"n_{stack}_layers"] > 0

    def forward(self, source: Sequence[int], target: Sequence[int]) -> Pass:
        """Run both texts, either of which may be empty if no part reads it."""
        self._seen = {}
        last, cross = np.zeros(0), None
        if self.has("encoder"):
            mask = self._padding(source, "encoder_padding_mask")
            last = self._stack("encoder", self._embed("source", source), mask, None)
            cross = last, self._padding(source, "decoder_padding_mask")
        if self.has("decoder"):
            mask = np.ones((len(target), len(target)), bool)
            mask = np.tril(mask) if self.config["causal_mask"] else mask
            mask = mask & self._padding(target, "decoder_padding_mask")
            last = self._stack("decoder", self._embed("target", target), mask, cross)
        self._generate(last)
        return Pass(self._seen, self.config)

    def logits(self, source: Sequence[int], target: Sequence[int]) -> Array:
        """Return the scores of all words after each prefix of a target."""
        return self.forward(source, target).tensors["logits"]

    def step_logits(self, source: Sequence[int], target: Sequence[int]) -> Array:
        """Return row t: the scores after target[: t + 1] alone, as when t + 1 was written."""
        if self.config["causal_mask"]:
            return self.logits(source, target)
        return np.stack([self.logits(source, target[: t + 1])[-1] for t in range(len(target))])

    def greedy(
        self, source: Sequence[int], prefix: Sequence[int], most: int, end: int = 2
    ) -> list[int]:
        """Write the most probable word until `</s>`, with the whole target anew at each step."""
        ids = list(prefix)
        while len(ids) - 1 < most:
            ids.append(int(self.logits(source, ids)[-1].argmax()))
            if ids[-1] == end:
                break
        return ids

    def _padding(self, ids: Sequence[int], switch: str) -> Mask:
        shown = np.asarray(ids) != self.config["pad_id"]
        hides = self.config.get("padding_by_id", True) and self.config[switch]
        return (shown if hides else np.ones_like(shown))[None]

    def _changed(self, name: str, values: Array) -> Array:
        """Change a captured tensor if a change is set, and keep it."""
        if name in self.changes:
            values = self.changes[name](values)
        self._seen[name] = values
        return values

    def _embed(self, side: str, ids: Sequence[int]) -> Array:
        name, config, tensors = f"{side}_embedding", self.config, self.files.tensors
        tokens = self.matrix(name)[list(ids)]
        if config["scale_embeddings"]:
            tokens = tokens * math.sqrt(self.d_model)
        if config["positions"] == "learned":
            learned = tensors[f"{name}.learned.weight"]
            positions = learned[config.get("position_offset", 0) :][: len(ids)]
        else:
            positions = position_vectors(config["positions"], len(ids), self.d_model)
        tokens = self._changed(f"{name}.tokens", tokens)
        total = tokens + self._changed(f"{name}.positions", positions)
        if config.get("segments"):  # a single text is the first
            segment = np.broadcast_to(tensors[f"{name}.segments.weight"][0], tokens.shape)
            total = total + self._changed(f"{name}.segments", segment)
        if config.get("embedding_norm"):
            total = self.norm(f"{name}.norm", total)
        return self._changed(f"{name}.output", total)

    def matrix(self, name: str) -> Array:
        """Return a matrix that may be tied to another, which is then in the file (section 3.4)."""
        tensors = self.files.tensors
        tied = {"none": [], "decoder": ["target_embedding", "generator"]}.get(
            self.config["tying"], ["source_embedding", "target_embedding", "generator"]
        )
        for other in [name, *(tied if name in tied else [])]:
            if f"{other}.weight" in tensors:
                return tensors[f"{other}.weight"]
        raise KeyError(name)

    def _stack(self, stack: str, x: Array, mask: Mask, cross: tuple[Array, Mask] | None) -> Array:
        for layer in range(self.config[f"n_{stack}_layers"]):
            name = f"{stack}.layers.{layer}"
            x = self._changed(f"{name}.input", x)
            x = self._sublayer(f"{name}.self_attn", x, lambda h, n: self._attention(n, h, h, mask))
            x = self._changed(f"{name}.after_self_attn", x)
            if cross is not None:
                read = f"{name}.cross_attn"
                x = self._sublayer(read, x, lambda h, n: self._attention(n, h, *cross))
                x = self._changed(f"{name}.after_cross_attn", x)
            if self.config["d_ff"]:
                x = self._sublayer(f"{name}.feed_forward", x, self._feed)
            x = self._changed(f"{name}.output", x)
        if self.config["final_norm"]:
            x = self.norm(f"{stack}.norm", x)
        return self._changed(f"{stack}.output", x)

    def _sublayer(self, name: str, x: Array, compute: Callable[[Array, str], Array]) -> Array:
        """Post-norm: norm(x + f(x)), section 3.1. Pre-norm: x + f(norm(x))."""
        pre = self.config["norm_placement"] == "pre"
        read = self._changed(f"{name}_norm.output", self.norm(f"{name}_norm", x)) if pre else x
        total = x + self._changed(f"{name}.output", compute(read, name))
        return total if pre else self.norm(f"{name}_norm", total)

    def norm(self, name: str, x: Array) -> Array:
        """Pass x through the norm of that name."""
        weight, eps = self.files.tensors[f"{name}.weight"], self.config["norm_eps"]
        if self.config["norm"] == "rms":
            return rms_norm(x, weight, eps)
        norm = layer_norm if self.config["norm"] == "layer" else unbiased_norm
        return norm(x, weight, self.files.tensors[f"{name}.bias"], eps)

    def _linear(self, name: str, x: Array) -> Array:
        tensors = self.files.tensors
        return x @ tensors[f"{name}.weight"].T + tensors.get(f"{name}.bias", 0.0)

    def _attention(self, name: str, x: Array, memory: Array, mask: Mask) -> Array:
        heads = self.config["n_heads"]
        kept = self.config.get("n_kv_heads") or heads
        query = split_heads(self._linear(f"{name}.query", x), heads)
        key = split_heads(self._linear(f"{name}.key", memory), kept)
        value = split_heads(self._linear(f"{name}.value", memory), kept)
        if self.config["positions"] == "rotary":
            base, share = self.config["rotary_base"], self.config["rotary_share"]
            query, key = turned(query, base, share), turned(key, base, share)
        key, value = (np.repeat(part, heads // kept, axis=0) for part in (key, value))
        scale, bias = self.config.get("score_scale"), self._bias(name, len(x))
        if isinstance(bias, np.ndarray):
            self._changed(f"{name}.bias", bias)
        fill = float(self.config["mask_fill"])
        for part, values in attend(query, key, value, mask, fill, scale, bias).items():
            self._changed(f"{name}.{part}", values)
        if f"{name}.weights" in self.changes:
            self._changed(f"{name}.heads", self._seen[f"{name}.weights"] @ value)
        mixed = self._seen[f"{name}.heads"].transpose(1, 0, 2).reshape(len(x), -1)
        return self._linear(f"{name}.output", mixed)

    def _bias(self, name: str, length: int) -> Array | float:
        """Return a number for each distance and head, equal in all layers of a stack."""
        stack = name.partition(".")[0]
        if self.config["positions"] != "relative" or not name.endswith("self_attn"):
            return 0.0
        at = np.arange(length, dtype=np.int64)
        found = relative_bucket(
            at[None] - at[:, None],
            both_ways=stack == "encoder",
            buckets=self.config["relative_buckets"],
            most=self.config["relative_max_distance"],
        )
        return self.files.tensors[f"{stack}.relative.weight"][found].transpose(2, 0, 1)

    def _feed(self, x: Array, name: str) -> Array:
        active = ACTIVATIONS[self.config.get("activation", "relu")]
        hidden = self._linear(f"{name}.expand", x)
        if self.config.get("gated"):
            hidden = active(self._linear(f"{name}.gate", x)) * hidden
        else:
            hidden = active(hidden)
        return self._linear(f"{name}.contract", self._changed(f"{name}.hidden", hidden))

    def _generate(self, x: Array) -> None:
        if self.config.get("head") == "none":
            return
        logits = x @ self.matrix("generator").T + self.files.tensors.get("generator.bias", 0.0)
        logits = self._changed("logits", logits)
        shaped = {"softmax": softmax, "log_softmax": log_softmax}.get(self.config["output"])
        self._seen["output"] = shaped(logits) if shaped else logits
