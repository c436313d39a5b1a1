"""Attribution of one written token to each source token, by the measures' own definitions.

A gradient times a direction is computed as the difference of two runs a small step apart; nothing
is differentiated.
"""

import numpy as np

from qa.audit.reference.files import Array
from qa.audit.reference.layers import log_softmax
from qa.audit.reference.transformer import Pass, Reference

_TOKENS = "source_embedding.tokens"
_APART = 1e-6
"""The size of the step as a share of an embedding, far below one of integrated gradients."""


class Attribution:
    """The measures of one row of a run, for the token that it writes."""

    def __init__(
        self, reference: Reference, run: Pass, source: list[int], target: list[int], row: int
    ) -> None:
        self.reference, self.run = reference, run
        self.source, self.target, self.row = source, target, row
        self.last = reference.config["n_decoder_layers"] - 1
        self.name = f"decoder.layers.{self.last}.cross_attn"

    def attention(self) -> Array:
        """Return the weights of the last cross-attention, averaged over its heads."""
        return self.run.tensors[f"{self.name}.weights"].mean(axis=0)[self.row]

    def vectors(self) -> Array:
        """||sum over heads of alpha (x W^V + b^V) W^O||: Kobayashi et al. 2020, equation 5."""
        return np.sqrt((self._brought() ** 2).sum(axis=-1))

    def direct(self) -> Array:
        """Return the contribution of the last cross-attention to the token's logit, minus their
        mean."""
        generator = self.reference.matrix("generator")
        direction = generator[self.target[self.row + 1]] - generator.mean(axis=0)
        return self._at_the_end(self._brought()) @ direction

    def head_adds(self, head: int, token: int, other: int) -> float:
        """Return the contribution of one head of the last cross-attention to a token's lead."""
        values = self.run.tensors[f"{self.name}.heads"][head, self.row]
        written = self._at_the_end(values @ self._output_of(head).T)
        generator = self.reference.matrix("generator")
        return float(written @ (generator[token] - generator[other]))

    def gradient(self) -> Array:
        """Return the gradient of the log-probability times the embedding of each token."""
        whole = np.ones(len(self.source))
        return np.array([self._slope(whole, i) for i in range(len(self.source))])

    def integrated(self, steps: int, places: list[int]) -> Array:
        """Return the mean gradient on the path from zeros, by the midpoint rule."""
        shares = (np.arange(steps) + 0.5) / steps
        ones = np.ones(len(self.source))
        return np.array([[self._slope(ones * s, i) for s in shares] for i in places]).mean(axis=1)

    def _slope(self, shares: Array, place: int) -> float:
        """Return how the log-probability responds to more of one embedding, at a point of the
        path."""
        step = np.zeros(len(shares))
        step[place] = _APART
        return (self._log(shares + step) - self._log(shares - step)) / (2 * _APART)

    def _log(self, shares: Array) -> float:
        changes = {**self.reference.changes, _TOKENS: lambda tokens: tokens * shares[:, None]}
        changed = Reference(self.reference.files, changes)
        logits = changed.logits(self.source, self.target[:-1])[self.row]
        return float(log_softmax(logits)[self.target[self.row + 1]])

    def _output_of(self, head: int) -> Array:
        weight = self.reference.files.tensors[f"{self.name}.output.weight"]
        size = weight.shape[1] // self.reference.config["n_heads"]
        return weight[:, head * size : (head + 1) * size]

    def _brought(self) -> Array:
        """Return the sum of all heads' outputs for each key: (key, d_model)."""
        seen = self.run.tensors
        weights, values = seen[f"{self.name}.weights"], seen[f"{self.name}.value"]
        parts = [
            weights[head, self.row][:, None] * (values[head] @ self._output_of(head).T)
            for head in range(len(weights))
        ]
        return np.asarray(parts).sum(axis=0)

    def _at_the_end(self, part: Array) -> Array:
        """Return a part of the last layer's state as the generator reads it, with fixed norm
        scales."""
        config, layer = self.reference.config, f"decoder.layers.{self.last}"
        norms = [("decoder.norm", self._state(f"{layer}.output"))] if config["final_norm"] else []
        if config["norm_placement"] == "post":
            across = self._state(f"{layer}.after_self_attn", f"{layer}.cross_attn.output")
            feed = self._state(f"{layer}.after_cross_attn", f"{layer}.feed_forward.output")
            norms.insert(0, (f"{layer}.feed_forward_norm", feed))
            norms.insert(0, (f"{layer}.cross_attn_norm", across))
        for norm, state in norms:
            gain, bias = (self.reference.files.tensors[f"{norm}.{n}"] for n in ("weight", "bias"))
            away = state - state.mean()
            scale = (self.reference.norm(norm, state) - bias) / gain / away
            part = gain * (part - part.mean(axis=-1, keepdims=True)) * scale
        return part

    def _state(self, *names: str) -> Array:
        """Return the input of a row's norm: the stream plus the sublayer's output."""
        return np.asarray([self.run.tensors[name][self.row] for name in names]).sum(axis=0)
