"""Typical hand-written transformers, recorded under Loupe's names if their pass proves them."""

import math

import pytest
import torch
import transformers
from torch import Tensor, nn
from torch.testing import assert_close

import loupe
from model.edits import Edits
from model.foreign.recording import attached, record
from model.positions import sinusoidal
from model.traces import TransformerTrace, named_tensors, present

IDS = torch.tensor([[3, 4, 5, 6, 7, 8]])
WIDTH = 32


def split(x: Tensor) -> Tensor:
    return x.unflatten(-1, (4, -1)).transpose(1, 2)


class Attention(nn.Module):
    """Multi-head attention that writes out its softmax."""

    def __init__(self) -> None:
        super().__init__()
        self.maps = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor, read: Tensor, mask: Tensor | None = None) -> Tensor:
        to_query, to_key, to_value, out = self.maps
        query, key, value = split(to_query(x)), split(to_key(read)), split(to_value(read))
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(key.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = self.dropout(scores.softmax(dim=-1))
        return out(torch.matmul(weights, value).transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, *, crosses: bool) -> None:
        super().__init__()
        self.attention, self.norm = Attention(), nn.LayerNorm(WIDTH)
        self.cross = Attention() if crosses else None
        self.cross_norm, self.last_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.expand, self.contract = nn.Linear(WIDTH, 64), nn.Linear(64, WIDTH)

    def forward(self, x: Tensor, memory: Tensor | None, mask: Tensor | None) -> Tensor:
        normed = self.norm(x)
        x = x + self.attention(normed, normed, mask)
        if self.cross is not None:
            x = x + self.cross(self.cross_norm(x), memory)
        return x + self.contract(self.expand(self.last_norm(x)).relu())


class GPT(nn.Module):
    """A decoder alone, which returns its logits together with a loss."""

    def __init__(self, *, crosses: bool = False) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(20, WIDTH), nn.Embedding(16, WIDTH)
        self.blocks = nn.ModuleList(Layer(crosses=crosses) for _ in range(2))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 20, bias=False)

    def forward(self, ids: Tensor, memory: Tensor | None = None) -> tuple[Tensor, None]:
        x = self.tokens(ids) + self.places(torch.arange(ids.size(1)))
        mask = torch.ones(ids.size(1), ids.size(1)).tril()
        for block in self.blocks:
            x = block(x, memory, mask)
        return self.head(self.norm(x)), None


class Translator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, WIDTH)
        self.layers = nn.ModuleList(Layer(crosses=False) for _ in range(2))
        self.writer = GPT(crosses=True)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        x = self.embedding(source)
        for layer in self.layers:
            x = layer(x, None, None)
        return self.writer(target, x)[0].log_softmax(dim=-1)


def test_the_stream_of_a_decoder_is_seen() -> None:
    model = GPT().eval()

    trace = record(model, IDS)

    embedding, decoder = present(trace.target_embedding), present(trace.decoder)
    assert torch.equal(embedding.tokens, model.tokens(IDS))
    assert torch.equal(embedding.positions, model.places.weight[:6])
    x = embedding.output
    for layer, own in zip(decoder.layers, model.blocks, strict=True):
        assert torch.equal(layer.input, x)
        after = present(layer.after_self_attn)
        assert_close(after, x + own.attention(own.norm(x), own.norm(x), torch.ones(6, 6).tril()))
        hidden = own.expand(own.last_norm(after)).relu()
        assert_close(present(layer.feed_forward).hidden, hidden)
        x = layer.output
        assert_close(x, after + own.contract(hidden))
    assert torch.equal(decoder.output, model.norm(x))
    assert torch.equal(present(trace.logits), model(IDS)[0])


def test_attentions_keep_the_names_of_their_modules_beside_ours() -> None:
    model = GPT().eval()
    off = {"blocks.1.attention.heads[2]": torch.zeros_like}
    ours = {"decoder.layers.1.self_attn.heads[2]": torch.zeros_like}

    one, other = (record(model, IDS, edits=Edits(each)) for each in (off, ours))

    assert torch.equal(present(one.logits), present(other.logits))
    run = loupe.trace(model, lambda _: IDS, "any", edits=off)
    assert run["blocks.1.attention.weights"] is run["decoder.layers.1.self_attn.weights"]


def test_a_compiled_block_is_edited_once() -> None:
    class Compiled(nn.Module):
        def __init__(self, block: nn.Module) -> None:
            super().__init__()
            self._orig_mod = block

        def forward(self, *given: Tensor) -> Tensor:
            return self._orig_mod(*given)

    model = GPT().eval()
    edits = Edits({"decoder.layers.0.output": lambda x: 2 * x})
    expected = record(model, IDS, edits=edits).logits
    model.blocks[0] = Compiled(model.blocks[0])
    assert torch.equal(present(record(model, IDS, edits=edits).logits), present(expected))


def test_an_edit_of_the_stream_flows_on() -> None:
    model = GPT().eval()
    shift = torch.linspace(-1, 1, WIDTH)
    edits = Edits({"decoder.layers.0.after_self_attn": lambda x: x + shift})

    trace, plain = record(model, IDS, edits=edits), record(model, IDS)

    one, other = (present(each.decoder).layers[0] for each in (trace, plain))
    assert_close(one.after_self_attn, other.after_self_attn + shift)
    assert (present(trace.logits) - present(plain.logits)).abs().max() > 0.01


def test_a_stream_that_is_added_to_in_place_is_kept_as_it_was() -> None:
    class InPlace(Layer):
        def forward(self, x: Tensor, _: Tensor | None, mask: Tensor | None) -> Tensor:
            x += self.attention(self.norm(x), self.norm(x), mask)
            x[:] += self.contract(self.expand(self.last_norm(x)).relu_())
            return x

    model = GPT().eval()
    expected = dict(named_tensors(record(model, IDS)))
    for block in model.blocks:
        block.__class__ = InPlace
    found = dict(named_tensors(record(model, IDS)))
    assert list(found) == list(expected)
    for name, tensor in found.items():
        assert_close(tensor, expected[name], msg=name)


def test_both_stacks_of_a_translator_are_seen() -> None:
    model, target = Translator().eval(), IDS[:, :4]

    trace = record(model, IDS, target)

    encoder, decoder = present(trace.encoder), present(trace.decoder)
    assert (len(encoder.layers), len(decoder.layers)) == (2, 2)
    assert torch.equal(present(trace.source_embedding).tokens, model.embedding(IDS))
    cross = present(decoder.layers[1].cross_attn)
    assert cross.weights.shape == (1, 4, 4, 6)
    after = present(decoder.layers[1].after_self_attn) + cross.output
    assert_close(decoder.layers[1].after_cross_attn, after)
    assert trace.logits is None  # the output differs from the last map's


def test_a_head_of_ones_own_round_a_model_of_transformers() -> None:
    settings = transformers.GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=20)

    class Judge(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.head = transformers.GPT2Model(settings), nn.Linear(32, 3)

        def forward(self, ids: Tensor) -> Tensor:
            return self.head(self.body(ids).last_hidden_state)

    model = Judge().eval()

    trace, body = record(model, IDS), record(model.body, input_ids=IDS)

    assert torch.equal(present(trace.decoder).output, present(body.decoder).output)
    assert torch.equal(present(trace.logits), model.head(present(body.decoder).output))


@pytest.mark.parametrize("batch_first", [True, False])
def test_torchs_own_layers_are_seen_as_ours(batch_first: bool) -> None:
    layer = nn.TransformerEncoderLayer(WIDTH, 4, 64, batch_first=batch_first)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    x = torch.randn(2, 5, 32)
    shift = torch.linspace(-1, 1, WIDTH)
    edits = Edits({"encoder.layers.0.output": lambda x: x + shift})

    trace, edited = record(model, x), record(model, x, edits=edits)

    def ours(y: Tensor) -> Tensor:
        return y if batch_first else y.transpose(0, 1)

    first, second = model.layers
    after = first.norm1(x + first.self_attn(x, x, x)[0])
    encoder = present(trace.encoder)
    assert_close(encoder.layers[0].after_self_attn, ours(after), atol=1e-5, rtol=1e-5)
    assert_close(encoder.output, ours(model(x)), atol=1e-5, rtol=1e-5)
    changed = present(edited.encoder).output
    assert_close(changed, ours(second(first(x) + shift)), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kept_as", ["parameter", "buffer", "formula"])
def test_positions_may_be_no_module(kept_as: str) -> None:
    class Placed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokens = nn.Embedding(20, WIDTH)
            self.blocks = nn.ModuleList(Layer(crosses=False) for _ in range(2))
            if kept_as == "parameter":
                self.places = nn.Parameter(torch.randn(1, 16, WIDTH))
            if kept_as == "buffer":
                self.register_buffer("places", sinusoidal(16, WIDTH)[:, None])

        def forward(self, ids: Tensor) -> Tensor:
            places = sinusoidal(16, WIDTH) if kept_as == "formula" else self.places.squeeze()
            x = self.tokens(ids) * math.sqrt(WIDTH) + places[: ids.size(1)]
            for block in self.blocks:
                x = block(x, None, None)
            return x

    model = Placed().eval()
    with attached(model, IDS) as ready:
        found = present(ready.record(IDS[:, :3]).source_embedding)
    assert_close(found.tokens, model.tokens(IDS[:, :3]) * math.sqrt(WIDTH))
    expected = model.places.squeeze() if kept_as == "parameter" else sinusoidal(16, WIDTH)
    assert_close(found.positions, expected[:3])


def test_what_is_not_proven_is_recorded_by_its_own_paths() -> None:
    class Bare(Attention):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Attention()

        def forward(self, x: Tensor) -> Tensor:
            return self.inner(x, x)

    class Outside(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = nn.ModuleList(Bare() for _ in range(2))

        def forward(self, x: Tensor) -> Tensor:
            for block in self.blocks:
                x = x + block(x)
            return x

    model, x = Outside().eval(), torch.randn(6, 1, WIDTH)

    with attached(model, x) as ready:
        found = ready.run(x).trace

    assert not isinstance(found, TransformerTrace)
    assert len(found.attentions) == 2
    with pytest.raises(ValueError, match="no residual stream"):
        record(model, x)
