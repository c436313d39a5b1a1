from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.testing import assert_close

from model.edits import Edits
from model.foreign.recording import trace_module
from tests.closeness import room, worst

N, M, D, H = 10, 7, 16, 4
CAUSAL = torch.ones(N, N, dtype=torch.bool).tril()
SIZES = {"d_model": D, "nhead": H, "dim_feedforward": 32}


def padding(length: int = 7) -> Tensor:
    """Return a mask in torch's convention, where True hides a key."""
    return torch.stack([torch.arange(N) >= N, torch.arange(N) >= length])


class Calls(nn.Module):
    """A module that calls torch's attention with the given options."""

    def __init__(self, **options):
        super().__init__()
        self.options = options

    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(query, key, value, **self.options)


class Blocks(nn.Module):
    """Two user-written blocks, each with one attention."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = x + block(x)
        return x


class Compiled(nn.Module):
    """A block wrapped as by torch.compile."""

    def __init__(self, block: nn.Module):
        super().__init__()
        self._orig_mod = block

    def forward(self, x: Tensor) -> Tensor:
        return self._orig_mod(x)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.dropout = nn.Dropout(0.5)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.qkv(x).unflatten(-1, (3, H, -1)).permute(2, 0, 3, 1, 4)
        heads = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.dropout(self.out(heads.transpose(1, 2).flatten(2)))


def encoder(**options) -> nn.Module:
    layer = nn.TransformerEncoderLayer(**SIZES, **options)
    nests = options == {"batch_first": True}
    return nn.TransformerEncoder(layer, 3, enable_nested_tensor=nests).eval()


def roundings(module: nn.Module) -> int:
    """Count the roundings of a number: by each matrix and norm, and in each attention."""
    sums = sum(parameter.size(-1) for parameter in module.parameters())
    attentions = sum(
        path.endswith(("self_attn", "multihead_attn")) for path, _ in module.named_modules()
    )
    return sums + attentions * 2 * N


MODULES = {
    "encoder": lambda: (encoder(batch_first=True), (torch.randn(2, N, D),), {}),
    "encoder, norm first": lambda: (
        encoder(batch_first=True, norm_first=True, activation="gelu"),
        (torch.randn(2, N, D),),
        {"mask": ~CAUSAL, "is_causal": True},
    ),
    "encoder, positions first": lambda: (encoder(), (torch.randn(N, 2, D),), {}),
    "padding, which torch nests": lambda: (
        encoder(batch_first=True),
        (torch.randn(2, N, D),),
        {"src_key_padding_mask": padding()},
    ),
    "encoder and decoder": lambda: (
        nn.Transformer(D, H, 2, 2, 32, batch_first=True).eval(),
        (torch.randn(2, N, D), torch.randn(2, M, D)),
        {
            "tgt_mask": nn.Transformer.generate_square_subsequent_mask(M),
            "tgt_is_causal": True,
            "memory_key_padding_mask": padding(),
        },
    ),
    "own blocks": lambda: (Blocks().eval(), (torch.randn(2, N, D),), {}),
}


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
@pytest.mark.parametrize("name", MODULES)
def test_is_the_unrecorded_output_within_rounding(name):
    module, args, kwargs = MODULES[name]()
    expected = module(*args, **kwargs)

    trace = trace_module(module, *args, **kwargs)

    read = (expected != 0).any(dim=-1)  # torch leaves out rows of padding
    allowed = room(expected, roundings(module))
    assert worst(trace.output[read], expected[read], allowed[read]) <= 1
    # The reference pass may have used other kernels: torch fuses an encoder's layer only if no
    # hook is registered.
    far = (trace.output - expected)[read].abs().max().item()
    assert trace.difference == pytest.approx(far, rel=0, abs=allowed.max())


def test_attentions_are_named_by_the_path_of_their_module():
    module, args, kwargs = MODULES["encoder and decoder"]()

    names = list(trace_module(module, *args, **kwargs).attentions)

    assert names[:2] == ["encoder.layers.0.self_attn", "encoder.layers.1.self_attn"]
    assert names[2:4] == ["decoder.layers.0.self_attn", "decoder.layers.0.multihead_attn"]
    assert list(trace_module(Blocks(), torch.randn(1, N, D)).attentions) == ["blocks.0", "blocks.1"]


def test_a_module_that_attends_twice_has_two_names():
    block = Block()

    trace = trace_module(nn.Sequential(block, block), torch.randn(1, N, D))

    assert list(trace.attentions) == ["0", "0(2)"]
    assert list(trace_module(Calls(), *torch.randn(3, 1, N, 4)).attentions) == ["attention"]


@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize(
    "options",
    [{}, {"add_bias_kv": True}, {"add_zero_attn": True}, {"kdim": 6, "vdim": 5}, {"bias": False}],
)
def test_multi_head_attention_gives_what_torch_gives(options, batch_first):
    module = nn.MultiheadAttention(D, H, batch_first=batch_first, **options).eval()
    query = torch.randn(2, M, D)
    key = torch.randn(2, N, options.get("kdim", D))
    value = torch.randn(2, N, options.get("vdim", D))
    given = query, key, value
    if not batch_first:
        given = tuple(x.transpose(0, 1) for x in given)
    asked = {"key_padding_mask": padding(), "average_attn_weights": False}
    output, weights = module(*given, **asked)

    trace = trace_module(module, *given, **asked)

    caught = trace["attention"]
    assert_close(caught.weights, weights)
    assert_close(trace.output, (output, weights))
    assert_close(caught.output, output if batch_first else output.transpose(0, 1))
    assert not caught.weights[1, :, :, 7:N].any()
    assert caught.mask.shape[:3] == (2, 1, 1)
    for need_weights, average in ((True, True), (False, True)):
        more = {"need_weights": need_weights, "average_attn_weights": average}
        expected = module(*given, key_padding_mask=padding(), **more)
        again = trace_module(module, *given, key_padding_mask=padding(), **more).output
        assert_close(again, expected)


def test_one_sentence_without_a_batch():
    module = nn.MultiheadAttention(D, H).eval()
    x = torch.randn(N, D)

    trace = trace_module(module, x, x, x)

    assert_close(trace.output, module(x, x, x))
    assert trace["attention"].weights.shape == (1, H, N, N)


MASKS = {
    "True may be read": (functional.scaled_dot_product_attention, CAUSAL),
    "True is forbidden": (nn.MultiheadAttention, ~CAUSAL),
    "minus infinity": (nn.MultiheadAttention, torch.zeros(N, N).masked_fill(~CAUSAL, -torch.inf)),
    "the lowest number": (
        functional.scaled_dot_product_attention,
        torch.zeros(N, N).masked_fill(~CAUSAL, torch.finfo(torch.float32).min),
    ),
    "is_causal": (functional.scaled_dot_product_attention, None),
}


@pytest.mark.parametrize("convention", MASKS)
def test_each_way_to_write_a_mask_becomes_one(convention):
    function, given = MASKS[convention]
    if function is nn.MultiheadAttention:
        x = torch.randn(2, N, D)
        module = nn.MultiheadAttention(D, H, batch_first=True).eval()
        trace = trace_module(module, x, x, x, attn_mask=given)
    else:
        options = {"is_causal": True} if given is None else {"attn_mask": given}
        trace = trace_module(Calls(**options), *torch.randn(3, 2, H, N, 4))

    caught = trace["attention"]
    assert torch.equal(caught.mask, CAUSAL[None, None])
    assert caught.bias is None
    assert not caught.weights.triu(1).any()


def test_a_mask_of_each_head_stays_one():
    mask = torch.rand(2 * H, N, N) < 0.3
    module = nn.MultiheadAttention(D, H, batch_first=True).eval()
    x = torch.randn(2, N, D)

    caught = trace_module(module, x, x, x, attn_mask=mask)["attention"]

    assert torch.equal(caught.mask.flatten(0, 1), ~mask)


def test_numbers_added_to_scores_are_a_bias():
    bias = torch.randn(1, H, N, N)
    query, key, value = torch.randn(3, 2, H, N, 4)
    module = Calls(attn_mask=bias, scale=0.3)

    trace = trace_module(module, query, key, value)

    caught = trace["attention"]
    assert torch.equal(caught.bias, bias)
    assert caught.scale == 0.3
    assert_close(caught.scores, query @ key.transpose(-2, -1) * 0.3 + bias)
    assert_close(trace.output, module(query, key, value))


def test_queries_that_share_keys():
    query, key, value = torch.randn(2, H, N, 4), torch.randn(2, 2, N, 4), torch.randn(2, 2, N, 5)
    module = Calls(enable_gqa=True, attn_mask=CAUSAL)

    trace = trace_module(module, query, key, value)

    assert trace["attention"].key.shape == (2, 2, N, 4)
    assert trace["attention"].heads.shape == (2, H, N, 5)
    assert_close(trace.output, module(query, key, value))


@pytest.mark.parametrize("outer", [(), (3,), (2, 3), (2, 2, 3)])
def test_any_number_of_axes(outer):
    given = torch.randn(3, *outer, N, 4)
    mask = torch.rand(*outer[:1], *(1,) * len(outer[1:]), N, N) < 0.5
    mask |= torch.eye(N, dtype=torch.bool)

    trace = trace_module(Calls(attn_mask=mask), *given)

    assert trace["attention"].weights.dim() == 4
    assert trace.output.shape == (*outer, N, 4)
    assert_close(trace.output, Calls(attn_mask=mask)(*given))


def test_a_query_that_may_read_nothing_is_as_in_torch():
    mask = CAUSAL.clone()
    mask[4] = False
    trace = trace_module(Calls(attn_mask=mask), *torch.randn(3, 2, H, N, 4))
    assert not trace["attention"].weights[:, :, 4].any()
    assert trace.difference < 1e-5

    module = nn.MultiheadAttention(D, H, batch_first=True).eval()
    x = torch.randn(2, N, D)
    trace = trace_module(module, x, x, x, attn_mask=~mask)
    assert trace["attention"].weights[:, :, 4].isnan().all()
    assert trace.difference < 1e-5


@pytest.mark.parametrize("name", ["encoder", "own blocks"])
def test_a_head_set_to_zero_is_one_whose_columns_of_the_projection_are(name):
    module, args, kwargs = MODULES[name]()
    path = "layers.1.self_attn" if name == "encoder" else "blocks.1"
    edits = Edits({f"{path}.heads[2]": torch.zeros_like})
    cut = trace_module(module, *args, edits=edits, **kwargs)
    part = module.get_submodule(path)
    (part.out_proj if name == "encoder" else part.out).weight[:, 8:12] = 0

    assert_close(cut.output, module(*args, **kwargs), atol=1e-5, rtol=1e-5)
    assert cut.difference is None


def test_edits_act_where_the_value_is_computed():
    module, args, kwargs = MODULES["encoder"]()
    name = "layers.0.self_attn"

    def traced(**edits):
        named = {f"{name}.{part}": edit for part, edit in edits.items()}
        return trace_module(module, *args, edits=Edits(named), **kwargs)

    even = traced(weights=lambda w: torch.full_like(w, 1 / N))[name]
    assert_close(even.heads, even.value.mean(dim=2, keepdim=True).expand_as(even.heads))

    def hide(scores: Tensor) -> Tensor:
        return scores.index_fill(-1, torch.tensor(3), -torch.inf)

    def forbid(mask: Tensor) -> Tensor:
        return mask.index_fill(-1, torch.tensor(3), value=False)

    assert torch.isneginf(traced(scores=hide)[name].scores[..., 3]).all()
    assert_close(traced(scores=hide).output, traced(mask=forbid).output)
    assert not traced(mask=forbid)[name].mask[..., 3].any()
    still = traced(output=torch.zeros_like)
    assert not still[name].output.any()
    assert (still.output - trace_module(module, *args).output).abs().max() > 0.01
    silent = traced(scores=lambda s: torch.full_like(s, -torch.inf))[name]
    assert not silent.weights.any()


def test_an_unknown_name_is_refused():
    module, args, _ = MODULES["encoder"]()

    with pytest.raises(ValueError, match=r"nearest: layers\.0\.self_attn\.weights"):
        trace_module(module, *args, edits=Edits({"layers.0.self_attn.weight": torch.zeros_like}))


def test_a_softmax_that_mixes_no_values_is_no_attention():
    class Chooses(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return (x @ x.transpose(1, 2)).softmax(dim=-1).max(dim=-1).values

    with pytest.raises(ValueError, match="no softmax in its own code takes products of queries"):
        trace_module(Chooses(), torch.randn(1, N, D))


def test_a_module_without_any_attention_is_told_so():
    with pytest.raises(ValueError, match=r"no attention was seen in Linear: .* no softmax"):
        trace_module(nn.Linear(D, D), torch.randn(2, N, D))


def test_a_head_that_is_not_there_is_told_which_are():
    with pytest.raises(ValueError, match=r"weights has heads 0 to 3, got '.*weights\[9\]'"):
        trace_module(
            nn.TransformerEncoderLayer(**SIZES, batch_first=True),
            torch.randn(2, N, D),
            edits=Edits({"self_attn.weights[9]": torch.zeros_like}),
        )


def test_a_compiled_block_keeps_its_name():
    module = Blocks()
    plain = trace_module(module, x := torch.randn(2, N, D))
    module.blocks[0] = Compiled(module.blocks[0])
    assert [*trace_module(module, x).attentions] == [*plain.attentions]


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_a_scripted_module_is_refused():
    scripted = nn.Sequential(torch.jit.script(nn.Linear(D, D)), Blocks())
    with pytest.raises(ValueError, match="outside of Python"):
        trace_module(scripted, torch.randn(1, N, D))


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_a_compiled_module_is_recorded_as_it_was_written():
    module = Blocks().eval()

    trace = trace_module(torch.compile(module), torch.randn(1, N, D))

    assert list(trace.attentions) == ["blocks.0", "blocks.1"]


def test_nothing_is_compiled_for_a_record_and_all_is_after_it():
    compiled = []

    def backend(graph: torch.fx.GraphModule, _: list) -> Callable:
        compiled.append(graph)
        return graph.forward

    module, x = Blocks().eval(), torch.randn(1, N, D)
    for block in module.blocks:
        block.compile(backend=backend)

    trace = trace_module(module, x)

    assert (list(trace.attentions), compiled) == (["blocks.0", "blocks.1"], [])
    module(x)
    assert compiled


def test_a_trace_has_gradients_where_they_are_enabled():
    module, args, kwargs = MODULES["encoder"]()
    with torch.enable_grad():
        trace = trace_module(module, *args, **kwargs)
        weights = trace["layers.0.self_attn"].weights
        (gradient,) = torch.autograd.grad(trace.output.square().sum(), weights)

    assert gradient.any()
