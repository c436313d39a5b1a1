"""Which tensors of a run are kept, and on which device or in which file."""

import json
from functools import cache
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file
from torch import nn

import loupe
from tests.loupe.test_foreign import Attending, Translator, ids_of, sharp
from tests.loupe.test_kept import IDS, MODELS, traced

ALL = {
    **{
        name: lambda build=build, **how: traced(build(), IDS, **how)
        for name, build in MODELS.items()
    },
    "with outputs": lambda **how: traced(
        MODELS["GPT-2"](), IDS, record=["h.*", "mlp.act", "ln_f"], **how
    ),
    "own": lambda **how: loupe.trace(loupe.load("everyday-paper-0"), "the cat sleeps .", **how),
    "attention alone": lambda **how: loupe.trace(sharp(Attending), ids_of, "the cat sat", **how),
    "nn.Transformer": lambda **how: loupe.trace(
        sharp(Translator), ids_of, "the cat sat", target="a dog", **how
    ),
}


@cache
def whole_run(name: str) -> loupe.Run:
    return ALL[name]()


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("patterns", ["*.weights", ("*.scores", "logits", "*.mask"), "*.positions"])
def test_names_pick_from_what_is_there_without_them(name: str, patterns: str) -> None:
    whole = whole_run(name)
    several = (patterns,) if isinstance(patterns, str) else patterns
    expected = {key for each in several for key in whole.names(each)}
    if not all(whole.names(each) for each in several):
        with pytest.raises(ValueError, match=r"no tensor name matches '.*'; a pass has "):
            ALL[name](names=patterns)
        return
    run = ALL[name](names=patterns)
    assert set(run) == expected
    assert all(torch.equal(run[key], whole[key]) for key in expected)
    if name != "attention alone":  # there, tokens without a text are numbered for the picture
        assert run.tokens == whole.tokens
    assert f"{len(expected)} tensors" in repr(run)
    with pytest.raises(ValueError, match="no attention to draw"):
        run.html()


def test_names_pick_among_outputs_of_modules() -> None:
    model = MODELS["GPT-2"]()
    for _ in range(2):
        run = traced(model, IDS, record=["h.*", "mlp.act"], names=["*.act.output", "logits"])
        acts = [f"transformer.h.{i}.mlp.act.output" for i in range(len(model.transformer.h))]
        assert list(run) == [*acts, "logits"]
        whole = traced(model, IDS, record=["h.*", "mlp.act"])
        assert all(torch.equal(run[each], whole[each]) for each in run)


def test_what_is_not_asked_for_is_let_go_while_the_model_runs() -> None:
    model, alive = MODELS["GPT-2"](), []
    traced(model, IDS)
    seen: list[int] = []

    def look(_: nn.Module, __: tuple, output: torch.Tensor) -> None:
        import weakref

        seen.append(sum(each() is not None for each in alive))
        alive.append(weakref.ref(output[0] if isinstance(output, tuple) else output))

    for part in model.modules():
        if type(part).__name__ == "GPT2Attention":
            part.register_forward_hook(look)
    traced(model, IDS, names="logits")
    assert seen == [0] * len(seen)
    alive.clear()
    seen.clear()
    traced(model, IDS)
    assert seen == list(range(len(seen)))


@pytest.mark.parametrize("name", ALL)
def test_a_device_has_all_of_a_run(name: str) -> None:
    run = ALL[name](names="*", device="meta", check=False)
    assert {x.device.type for x in run.values()} == {"meta"}
    whole = whole_run(name)
    here = whole.cpu()
    assert all(torch.equal(here[key], whole[key]) for key in whole)


@pytest.mark.parametrize("name", ALL)
def test_a_file_has_every_tensor_under_its_name(name: str, tmp_path: Path) -> None:
    run, path = whole_run(name), tmp_path / "run.safetensors"
    run.save(path)
    found = load_file(path)
    assert found.keys() == set(run)
    assert all(torch.equal(found[key], run[key]) for key in run)
    with safe_open(path, "pt") as file:
        about = file.metadata()
    assert json.loads(about["target"]) == list(run.tokens.target)
    assert about["headline"] == run.headline
    assert path.stat().st_size < 1.1 * sum(x.nbytes for x in run.values()) + 50_000
