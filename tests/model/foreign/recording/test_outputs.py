"""The outputs of modules, under their own names, agree with forward hooks."""

from collections.abc import Mapping

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

import loupe
from model.edits import Edits
from model.foreign.recording import attached

IDS = torch.tensor([[3, 1, 4, 1, 5]])
WIDTH = 16
PARTS = (".attn.parts.0", ".attn.parts.1", ".attn.parts.2")


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.to_qkv, self.to_out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (y.unflatten(-1, (4, -1)).transpose(1, 2) for y in self.to_qkv(x).chunk(3, -1))
        scores = torch.einsum("b h i d, b h j d -> b h i j", q, k) * 0.5
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(future, -torch.finfo(scores.dtype).max)
        out = torch.einsum("b h i j, b h j d -> b h i d", scores.softmax(dim=-1), v)
        return self.to_out(out.transpose(1, 2).flatten(2))


class Network(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(nn.Linear(WIDTH, 32), nn.GELU(), nn.Linear(32, WIDTH))


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.ln_1, self.attn, self.ln_2 = nn.LayerNorm(WIDTH), Attention(), nn.LayerNorm(WIDTH)
        self.mlp = Network()

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class RMS(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * x.square().mean(dim=-1, keepdim=True).rsqrt()


class Residual(nn.Module):
    def forward(self, x: Tensor, residual: Tensor) -> Tensor:
        return x + residual


class InParts(nn.Module):
    """Layers that are not modules: attentions and networks alternate in a list of lists."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.to_logits = nn.Embedding(20, WIDTH), nn.Linear(WIDTH, 20)
        parts = (Attention(), Network(), Attention(), Network())
        norms = (nn.LayerNorm(WIDTH) for _ in parts)
        each = zip(norms, parts, strict=True)
        self.layers = nn.ModuleList(nn.ModuleList([*pair, Residual()]) for pair in each)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids)
        for norm, part, add in self.layers:
            x = add(part(norm(x)), x)
        return self.to_logits(x)


class InARow(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.head = nn.Embedding(20, WIDTH), nn.Linear(WIDTH, 20)
        self.blocks, self.ln_f = nn.Sequential(Layer(), Layer(), Layer()), RMS()

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.ln_f(self.blocks(self.embedding(ids))))


def hooked(model: nn.Module) -> dict[str, Tensor]:
    """Run a model; return the last output of each of its modules."""
    found: dict[str, Tensor] = {}

    def keep(path: str):
        return lambda _, __, output: found.update({path: output})

    handles = [x.register_forward_hook(keep(path)) for path, x in model.named_modules()]
    model(IDS)
    for handle in handles:
        handle.remove()
    return found


def outputs(model: nn.Module, *patterns: str, **edits) -> Mapping[str, Tensor]:
    with attached(model, IDS, outputs=list(patterns) or None) as ready:
        named = Edits({key.replace("__", "."): edit for key, edit in edits.items()})
        return ready.run(IDS, edits=named).outputs


def test_of_layers_that_are_not_proven_the_parts_are_kept() -> None:
    model = InParts().eval()

    found, expected = outputs(model), hooked(model)

    parts = [f"layers.{i}.{j}" for i in range(4) for j in range(3)]
    assert list(found) == [*(f"{path}.output" for path in parts), "output"]
    for path in parts:
        assert torch.equal(found[f"{path}.output"], expected[path])
    assert torch.equal(found["output"], expected[""])


def test_lists_within_layers_in_a_row_are_kept_beside_them() -> None:
    class Joined(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = nn.ModuleList(Attention() for _ in range(3))

        def forward(self, x: Tensor) -> Tensor:
            return x + sum(part(x) for part in self.parts)

    model = InARow().eval()
    for block in model.blocks:
        block.attn = Joined()
    expected = hooked(model)
    found = outputs(model)
    paths = [f"blocks.{i}{part}" for i in range(3) for part in ("", *PARTS)]
    assert set(found) == {"output", *(f"{path}.output" for path in paths)}
    for path in paths:
        assert torch.equal(found[f"{path}.output"], expected[path])


def test_modules_are_chosen_by_the_ends_of_their_paths() -> None:
    model = InARow().eval()

    found, expected = outputs(model, "blocks.*", "mlp.0", "head"), hooked(model)

    chosen = [f"blocks.{i}{part}" for i in range(3) for part in (".mlp.0", "")]
    assert list(found) == [f"{path}.output" for path in (*chosen, "head")]
    for path in (*chosen, "head"):
        assert torch.equal(found[f"{path}.output"], expected[path])


def test_layers_that_run_in_a_row_are_proven() -> None:
    model = InARow().eval()
    run = loupe.trace(model, lambda _: IDS, "any", record=["blocks.1"])
    expected = hooked(model)
    for i in range(3):
        assert_close(run[f"decoder.layers.{i}.output"], expected[f"blocks.{i}"])
    assert torch.equal(run["decoder.output"], expected["ln_f"])
    assert torch.equal(run["logits"], expected["head"])
    assert torch.equal(run["blocks.1.output"], expected["blocks.1"])
    assert dict(run)["blocks.1.output"] is run["blocks.1.output"]
    assert len(run) == len(set(run))


def test_what_a_module_gives_can_be_edited() -> None:
    model = InParts().eval()
    shift = torch.linspace(-1, 1, WIDTH)

    found = outputs(model, "layers.1.2", "to_logits", layers__1__2__output=lambda x: x + shift)

    model.layers[1][2].register_forward_hook(lambda _, __, x: x + shift)
    expected = hooked(model)
    assert torch.equal(found["to_logits.output"], expected["to_logits"])


def test_a_module_that_runs_twice_has_two_names() -> None:
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.attention = nn.Embedding(20, WIDTH), Attention()

        def forward(self, ids: Tensor) -> Tensor:
            return self.attention(self.attention(self.embedding(ids)))

    model = Twice().eval()
    first, second = outputs(model, "attention").values()
    assert torch.equal(first, model.attention(model.embedding(IDS)))
    assert torch.equal(second, model.attention(first))
    assert list(outputs(model, "attention")) == ["attention.output", "attention(2).output"]


def test_a_pattern_that_fits_nothing_is_told_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"ends in 'heads'; nearest: head"):
        outputs(InARow().eval(), "heads")
    with pytest.raises(TypeError, match="a list of patterns"):
        loupe.trace(InARow(), lambda _: IDS, "any", record="head")  # pyright: ignore[reportArgumentType]
