"""Layers that attend in their own `forward`, sequences first, tables, and the messages on them."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.testing import assert_close

import loupe
from tests.model.foreign.recording.own_modules import (
    HEADS,
    WIDTH,
    Own,
    SequenceFirst,
    Unbatched,
    merge,
    split,
)

IDS = torch.tensor([[3, 4, 5, 6, 7], [8, 9, 3, 2, 1]])


class Layer(nn.Module):
    """A layer with attention and feed-forward network in one `forward`."""

    def __init__(self) -> None:
        super().__init__()
        self.maps = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.one, self.two = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.expand, self.contract = nn.Linear(WIDTH, 64), nn.Linear(64, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (split(f(self.one(x))) for f in self.maps[:3])
        x = x + self.maps[3](merge(self.attend(q, k, v)))
        return x + self.contract(self.expand(self.two(x)).relu())

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


class ByHand(Layer):
    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return (q @ k.mT / 3).softmax(-1) @ v


class Around(nn.Module):
    """A layer around one of the example attentions."""

    def __init__(self, kind: type[Own]) -> None:
        super().__init__()
        self.norm, self.attention = nn.LayerNorm(WIDTH), kind()
        self.other, self.network = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm(x))
        return x + self.network(self.other(x))


class Model(nn.Module):
    def __init__(self, layers: list[nn.Module], *, turned: bool = False) -> None:
        super().__init__()
        self.tokens, self.layers = nn.Embedding(20, WIDTH), nn.ModuleList(layers)
        self.turned = turned

    def forward(self, ids: Tensor) -> Tensor:
        x = self.tokens(ids.T if self.turned else ids)
        for layer in self.layers:
            x = layer(x)
        return x


@pytest.mark.parametrize("kind", [Layer, ByHand])
def test_a_layer_that_attends_by_itself_has_a_residual_stream(kind):
    model = Model([kind() for _ in range(2)]).eval()
    run = loupe.trace(model, inputs=IDS)
    side = "decoder" if kind is Layer else "encoder"
    x = model.tokens(IDS)
    for i, layer in enumerate(model.layers):
        assert_close(run[f"{side}.layers.{i}.input"], x)
        q, k, v = (split(f(layer.one(x))) for f in layer.maps[:3])
        after = x + layer.maps[3](merge(layer.attend(q, k, v)))
        assert_close(run[f"{side}.layers.{i}.after_self_attn"], after)
        x = layer(x)
        assert_close(run[f"{side}.layers.{i}.output"], x)
    assert run.lacks == ""
    name = f"{side}.layers.0.after_self_attn"
    shifted = loupe.trace(model, inputs=IDS, edits={name: lambda x: x + 1})
    first, second = model.layers
    q, k, v = (split(f(first.one(run[f"{side}.layers.0.input"]))) for f in first.maps[:3])
    y = run[name] + 1
    expected = second(y + first.contract(first.expand(first.two(y)).relu()))
    assert_close(shifted[f"{side}.output"], expected, atol=1e-5, rtol=1e-5)


def test_sequences_first_have_their_stream_in_our_axes():
    model = Model([Around(SequenceFirst) for _ in range(2)], turned=True).eval()
    run = loupe.trace(model, inputs=IDS)
    x = model.tokens(IDS)
    assert_close(run["decoder.layers.0.input"], x)
    assert_close(run["decoder.layers.1.output"], model(IDS).transpose(0, 1))
    assert run["decoder.layers.1.self_attn.weights"].shape == (2, HEADS, 5, 5)
    off = loupe.trace(model, inputs=IDS, edits={"decoder.layers.0.output": lambda x: x * 2})
    first, second = model.layers
    expected = second(2 * first(x.transpose(0, 1))).transpose(0, 1)
    assert_close(off["decoder.layers.1.output"], expected)


def test_what_was_not_proven_is_said():
    model = Model([Around(Unbatched) for _ in range(2)]).eval()
    run = loupe.trace(model, inputs=IDS[0])
    assert not run.names("*.layers.0.input")
    assert "do not have the axes of a record" in run.lacks
    assert run.lacks in repr(run)

    class Gated(Own):
        """An attention whose heads are transformed before they are laid side by side."""

        def attend(self, x: Tensor) -> Tensor:
            q, k, v = (split(f(x)).flatten(0, 1) for f in (self.q, self.k, self.v))
            heads = torch.bmm((q @ k.mT).softmax(-1), v).exp()
            return merge(heads.unflatten(0, (-1, HEADS)))

    run = loupe.trace(Gated().eval(), inputs=torch.randn(2, 5, WIDTH))
    assert run["attention.weights"].shape == (1, 2 * HEADS, 5, 5)
    assert "could not tell texts from heads in attention" in run.lacks


def test_a_softmax_over_a_table_is_no_attention():
    class Table(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.keys, self.values = (nn.Parameter(torch.randn(1, 7, WIDTH)) for _ in range(2))

        def forward(self, x: Tensor) -> Tensor:
            return x + (x @ self.keys.mT).softmax(-1) @ (self.values * 1)

    class Both(Own):
        def __init__(self) -> None:
            super().__init__()
            self.memory = Table()

        def forward(self, x: Tensor) -> Tensor:
            return self.memory(super().forward(x))

    x = torch.randn(2, 5, WIDTH)
    with pytest.raises(ValueError, match="rows of a table of the model"):
        loupe.trace(Table().eval(), inputs=x)
    assert loupe.trace(Both().eval(), inputs=x).names("*.weights") == ("attention.weights",)


def test_no_message_denies_a_softmax():
    class Exponents(Own):
        def softmax(self, scores: Tensor) -> Tensor:
            made = scores.exp()
            return made / made.sum(-1, keepdim=True)

    class Logs(Own):
        def softmax(self, scores: Tensor) -> Tensor:
            return scores.log_softmax(-1).exp()

    x = torch.randn(2, 5, WIDTH)
    with pytest.raises(ValueError, match="computes its softmax from other functions"):
        loupe.trace(Exponents().eval(), inputs=x)
    with pytest.raises(ValueError, match="no softmax in its own code takes products"):
        loupe.trace(Logs().eval(), inputs=x)


def test_an_edit_that_cannot_be_computed_again_is_refused_by_its_name():
    class Shared(Own):
        """An attention that uses one tensor for queries and keys."""

        def attend(self, x: Tensor) -> Tensor:
            q = split(self.q(x))
            return merge((q @ q.mT).softmax(-1) @ split(self.v(x)))

    x = torch.randn(2, 5, WIDTH)
    with pytest.raises(ValueError, match=r"attention.query cannot be edited here: one tensor"):
        loupe.trace(Shared().eval(), inputs=x, edits={"attention.query": lambda x: 2 * x})
