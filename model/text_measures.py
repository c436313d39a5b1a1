"""What mattered for one token of a text that a model reads: for each token read, a number.

Of a decoder alone it is the token that a row writes, of an encoder alone what it puts at a place.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.edits import NO_EDITS, Bypass, Edit, Edits, InTurn
from model.norm_attribution import value_weighted, vector_norms
from model.parts import find_attention
from model.traces import TransformerTrace, present
from model.transformer import Transformer

TextSeen = Literal["head", "attention", "rollout", "values", "vectors"]
"""What a trace says."""
TextRun = Literal["gradient", "integrated", "hidden", "zeroed"]
"""What running the model again says."""
TextMeasure = Literal[TextSeen, TextRun]
TEXT_MEASURES: tuple[TextMeasure, ...] = (*get_args(TextSeen), *get_args(TextRun))

_AT_ONCE = 32
"""Texts in a batch."""


@dataclass(frozen=True, eq=False)
class TextPass:
    """One text, the row of it that is asked about, and the token that the row speaks of."""

    model: Transformer
    """With one stack, and in eval mode, else dropout acts."""
    ids: Int[Tensor, " position"]
    """Of a decoder those up to the row: it reads no others."""
    row: int
    token: int
    edits: Edits = NO_EDITS
    """In force in every pass."""

    @property
    def side(self) -> Literal["source", "target"]:
        """The side of the model's one text."""
        return "target" if self.model.config.has_decoder else "source"

    @property
    def tokens_name(self) -> str:
        """Name of the embeddings, as captured."""
        return f"{self.side}_embedding.tokens"

    def embedded(self) -> Float[Tensor, "position d_model"]:
        """Give the embeddings as they are summed with positions."""
        with torch.no_grad():
            edits = self.edits.part(f"{self.side}_embedding")
            return self.model.embedding_of(self.side)(self.ids[None], edits=edits).tokens[0]

    def log_probabilities(self, batch: int, edits: Mapping[str, Edit]) -> Float[Tensor, " batch"]:
        """Give that of the token, in nats, in so many runs of the text at once."""
        ids = self.ids.expand(batch, -1)
        texts = (None, ids) if self.side == "target" else (ids, None)
        made = dict(self.edits.by_name)
        for name, edit in edits.items():
            match made.get(name):
                case None | Bypass():  # what is passed over has nothing to be edited
                    made[name] = edit
                case before:
                    made[name] = InTurn((before, edit))
        logits = present(self.model(*texts, edits=Edits(made)).logits)
        return logits[:, self.row].log_softmax(dim=-1)[:, self.token]


@torch.inference_mode()
def measure_text(
    model: Transformer, trace: TransformerTrace, head: tuple[int, int]
) -> dict[TextMeasure, Float[Tensor, "row position"]]:
    """Measure all rows from what a run computed: its last layer, and the one head by itself."""
    side = "target" if trace.decoder else "source"
    stack, name = trace.stack_of(side), "decoder" if trace.decoder else "encoder"
    last = len(stack.layers) - 1
    attention = stack.layers[last].self_attn
    module = find_attention(model, f"{name}.layers.{last}.self_attn")
    layer, number = head
    return {
        "head": stack.layers[layer].self_attn.weights[0, number],
        "attention": attention.weights[0].mean(dim=0),
        "rollout": rollout_of_stack([each.self_attn.weights[0] for each in stack.layers]),
        "values": value_weighted(attention),
        "vectors": vector_norms(module, attention),
    }


def rollout_of_stack(
    weights: list[Float[Tensor, "head row position"]],
) -> Float[Tensor, "row position"]:
    """Multiply attention through the layers, half of each row being itself (Abnar & Zuidema)."""
    first = weights[0]
    own = torch.eye(first.size(-1), dtype=first.dtype)
    found = own
    for each in weights:
        found = (0.5 * each.mean(dim=0) + 0.5 * own) @ found
    return found


@torch.inference_mode()
def zeroed(asked: TextPass) -> Float[Tensor, " position"]:
    """Put zeros in place of each embedding; positions stay. Gives what is lost, in nats."""
    tokens = asked.embedded()
    count = len(asked.ids)
    kept = ~torch.eye(count, dtype=torch.bool, device=tokens.device)

    def without(some: Tensor) -> Tensor:
        changed = tokens * some[..., None]
        return asked.log_probabilities(len(some), {asked.tokens_name: lambda _: changed})

    return _whole(asked) - torch.cat([without(some) for some in kept.split(_AT_ONCE)])


@torch.inference_mode()
def hidden(asked: TextPass) -> Float[Tensor, " position"]:
    """Hide each token from every row but its own, in all layers. Gives what is lost, in nats."""
    count, config = len(asked.ids), asked.model.config
    name = "decoder" if asked.side == "target" else "encoder"
    layers = config.n_decoder_layers if name == "decoder" else config.n_encoder_layers
    own = torch.eye(count, dtype=torch.bool, device=asked.ids.device)

    def without(some: Tensor) -> Tensor:
        open_keys = ~some[:, None] | own
        edits: dict[str, Edit] = {
            f"{name}.layers.{i}.self_attn.mask": lambda mask: mask & open_keys
            for i in range(layers)
        }
        return asked.log_probabilities(len(some), edits)

    return _whole(asked) - torch.cat([without(some) for some in own.split(_AT_ONCE)])


def gradient_times_input(asked: TextPass) -> Float[Tensor, " position"]:
    """Multiply the gradient of the log-probability with the embeddings."""
    tokens = asked.embedded()
    return (_gradients(asked, tokens[None])[0] * tokens).sum(dim=-1)


@dataclass(frozen=True, eq=False)
class IntegratedText:
    """Integrated gradients from average embeddings, and what they should sum to, in nats."""

    values: Float[Tensor, " position"]
    difference: float
    steps: int

    @property
    def error(self) -> float:
        """Give what the sum has too much."""
        return float(self.values.sum()) - self.difference


def integrated(asked: TextPass, *, close: float, most_steps: int) -> IntegratedText:
    """Average the gradient on the way from average embeddings, in steps enough.

    As Sundararajan et al. 2017, but not from zeros: a norm that reads embeddings alone leaps there.
    """
    tokens, steps = asked.embedded(), 64
    embedding = asked.model.embedding_of(asked.side)
    with torch.no_grad():
        start = (embedding.weight.mean(dim=0) * embedding.scale).expand_as(tokens)
        ends = torch.stack([tokens, start])
        after, before = asked.log_probabilities(2, {asked.tokens_name: lambda _: ends}).tolist()
    while True:
        shares = (torch.arange(steps, device=tokens.device) + 0.5) / steps
        way = start + shares[:, None, None] * (tokens - start)
        gradients = _gradients(asked, way).mean(dim=0)
        found = IntegratedText((gradients * (tokens - start)).sum(dim=-1), after - before, steps)
        if abs(found.error) <= close or 2 * steps > most_steps:
            return found
        steps *= 2


def _whole(asked: TextPass) -> Float[Tensor, " one"]:
    return asked.log_probabilities(1, {})


@torch.enable_grad()
def _gradients(
    asked: TextPass, points: Float[Tensor, "point position d_model"]
) -> Float[Tensor, "point position d_model"]:
    found: list[Tensor] = []
    for some in points.split(_AT_ONCE):
        leaf = some.detach().clone().requires_grad_()
        put: dict[str, Edit] = {asked.tokens_name: lambda _, leaf=leaf: leaf}
        total = asked.log_probabilities(len(leaf), put).sum()
        found.append(torch.autograd.grad(total, leaf)[0])
    return torch.cat(found)
