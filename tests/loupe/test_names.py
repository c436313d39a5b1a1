"""The names of rows and columns agree with what each module reads by its construction."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import loupe
from loupe.picture import heads_of, placed_names
from tests.loupe import reading_modules as own
from tests.loupe.reading_modules import Reader, Remembering

WORDS = ["the", "cat", "sat", "on", "mat"]
IDS = torch.tensor([[3, 4, 5, 6, 7]])
TEXT = tuple(WORDS)
NUMBERS = tuple("01234")
BOTH, LEFT = "encoder self-attention", "decoder self-attention"


def memory(count: int, first: int = 1) -> tuple[str, ...]:
    return tuple(f"memory {i}" for i in range(first, first + count))


def one_hot(ids: Tensor, table: Tensor) -> Tensor:
    return functional.one_hot(ids, len(table)).to(table) @ table


MODULES = {
    "keys before": (lambda: Reader(Remembering(3, 0)), LEFT, TEXT, memory(3) + TEXT),
    "keys behind": (lambda: Reader(Remembering(0, 2)), LEFT, TEXT, TEXT + memory(2)),
    "keys around": (
        lambda: Reader(Remembering(2, 1, own.written)),
        LEFT,
        TEXT,
        memory(2) + TEXT + memory(1, 3),
    ),
    "keys around, by einsum": (
        lambda: Reader(Remembering(1, 1, own.by_einsum, causal=False)),
        BOTH,
        TEXT,
        memory(1) + TEXT + memory(1, 2),
    ),
    "keys put into zeros": (
        lambda: Reader(Remembering(2, 2, buffered=True)),
        LEFT,
        TEXT,
        memory(2) + TEXT + memory(2, 3),
    ),
    "several memories": (
        lambda: Reader(Remembering(2, 0), Remembering(0, 2), Remembering(0, 0)),
        LEFT,
        TEXT,
        memory(2) + TEXT,
    ),
    "vectors in the stream": (own.Prompted, LEFT, memory(2) + TEXT, memory(2) + TEXT),
    "torch's bias and zeros": (
        lambda: own.OfTorch(add_bias_kv=True, add_zero_attn=True),
        BOTH,
        TEXT,
        TEXT + memory(2),
    ),
    "torch's with a prompt": (lambda: own.OfTorch(prompt=2), BOTH, TEXT, memory(2) + TEXT),
    "a table read by index": (
        lambda: Reader(Remembering(0, 0), look_up=lambda ids, table: table[ids]),
        LEFT,
        TEXT,
        TEXT,
    ),
    "a table read by product": (
        lambda: Reader(Remembering(0, 0), look_up=one_hot),
        LEFT,
        TEXT,
        TEXT,
    ),
    "from right to left": (
        lambda: Reader(Remembering(0, 0, causal=False), change=lambda x: x.flip(1)),
        BOTH,
        TEXT[::-1],
        TEXT[::-1],
    ),
    "rolled by two": (
        lambda: Reader(Remembering(0, 0, causal=False), change=lambda x: x.roll(2, 1)),
        BOTH,
        ("on", "mat", "the", "cat", "sat"),
        ("on", "mat", "the", "cat", "sat"),
    ),
    "as many mixtures as tokens": (lambda: Reader(own.Compressing(5)), BOTH, TEXT, NUMBERS),
    "fewer mixtures": (lambda: Reader(own.Compressing(3)), BOTH, TEXT, NUMBERS[:3]),
    "learned queries": (own.Perceiving, "cross-attention", NUMBERS, TEXT),
}


@pytest.mark.parametrize("name", MODULES)
def test_rows_and_columns_are_tokens_where_they_are_made_of_them(name: str) -> None:
    build, kind, rows, columns = MODULES[name]
    run = loupe.trace(build().eval(), WORDS, inputs=IDS)
    heads = next(each for each in heads_of(run) if each.kind == kind)
    assert heads.names(run.tokens) == (rows, columns)
    assert TEXT in (run.tokens.source, run.tokens.target)
    assert run.html()


@pytest.mark.parametrize("name", MODULES)
def test_a_picture_finds_each_name_in_its_lists(name: str) -> None:
    build, _, _, _ = MODULES[name]
    run = loupe.trace(build().eval(), WORDS, inputs=IDS)
    found = heads_of(run)
    tokens, axes = placed_names(run.tokens, found)
    for heads, sides in zip(found, axes, strict=True):
        for (side, first), names in zip(sides, heads.names(run.tokens), strict=True):
            assert getattr(tokens, side)[first : first + len(names)] == names


def test_each_layer_has_the_names_of_its_own_memory() -> None:
    model = Reader(Remembering(2, 0), Remembering(0, 2), Remembering(0, 0)).eval()
    axes = loupe.trace(model, WORDS, inputs=IDS).axes
    named = [each.columns for each in axes.values()]
    assert named == [memory(2) + TEXT, TEXT + memory(2), TEXT]
    assert "shows 1 of 3 attentions" in loupe.trace(model, WORDS, inputs=IDS).html()


@pytest.mark.parametrize("ids", [IDS.T.contiguous(), IDS[0]])
def test_a_text_is_found_in_either_axis(ids: Tensor) -> None:
    class Turned(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(20, 32)
            self.layer = nn.TransformerEncoderLayer(32, 4, 64)

        def forward(self, ids: Tensor) -> Tensor:
            return self.layer(self.embed(ids))

    run = loupe.trace(Turned(), WORDS, inputs=ids)
    assert heads_of(run)[0].names(run.tokens) == (TEXT, TEXT)


def test_what_is_given_beside_a_text_is_named_after_its_argument() -> None:
    run = loupe.trace(
        own.Recurring(), WORDS, inputs={"ids": IDS, "mems": torch.randn(1, 2, own.WIDTH)}
    )
    (heads,) = heads_of(run)
    assert heads.kind == BOTH
    assert heads.names(run.tokens)[1] == ("mems 1", "mems 2", *TEXT)


def test_a_second_text_has_not_the_names_of_the_first() -> None:
    run = loupe.trace(own.Joining(), WORDS, inputs=(IDS, torch.tensor([[8, 9]])))
    assert heads_of(run)[0].names(run.tokens)[1] == (*TEXT, "0", "1")


def test_a_window_of_an_image_says_that_it_is_one() -> None:
    run = loupe.trace(own.Windowed(), inputs=torch.randn(1, 3, 16, 8))
    assert run["layer.weights"].shape == (2, 4, 4, 4)
    assert "weights[0] is window 1 of 2 of the image" in repr(run)
    assert "window 1 of 2" in run.html()
    assert heads_of(run)[0].names(run.tokens) == (NUMBERS[:4], NUMBERS[:4])
    assert run.tokens.source == NUMBERS[:4]


@pytest.mark.parametrize("name", MODULES)
def test_names_do_not_depend_on_what_was_traced_before(name: str) -> None:
    if "mixtures" in name:
        pytest.skip("its mixtures are of five tokens")
    build, _, _, _ = MODULES[name]

    def names(model: nn.Module, length: int) -> tuple:
        run = loupe.trace(model, WORDS[:length], inputs=IDS[:, :length])
        return run.names(), [(each.kind, each.names(run.tokens)) for each in heads_of(run)]

    fresh = {length: names(build().eval(), length) for length in (1, 2, 5)}
    for order in ((5, 2, 1), (1, 5, 2)):
        used = build().eval()
        for length in order:
            assert names(used, length) == fresh[length]


def test_one_token_shows_as_much_as_many() -> None:
    for layers in ((Remembering(0, 0),), (Remembering(2, 0), Remembering(2, 0))):
        model = Reader(*layers).eval()
        run = loupe.trace(model, WORDS[:1], inputs=IDS[:, :1])
        heads = heads_of(run)[0]
        assert heads.kind == LEFT
        assert heads.names(run.tokens)[1][-1] == "the"
