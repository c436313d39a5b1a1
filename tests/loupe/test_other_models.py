"""Patching, ablation and the lens on third-party models agree with hooks in float64."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor, nn
from transformers import (
    OPTConfig,
    OPTForCausalLM,
    PhiConfig,
    PhiForCausalLM,
)

import loupe
from model.foreign.huggingface import RecordedFolder
from tests.loupe.test_effects import before, put
from tests.loupe.test_foreign import Speller, ids_of, rules, sharp
from tests.loupe.test_generation import Writing
from tests.marks import slow_except
from tests.model.foreign.huggingface.families import DECODERS, ENCODER_DECODERS, ENCODERS
from tests.model.foreign.imports.oracle import save

HEADS = 4
TINY: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": HEADS,
    "num_key_value_heads": HEADS,
    "intermediate_size": 64,
    "vocab_size": 100,
    "pad_token_id": 0,
}
CLEAN = torch.tensor([[5, 17, 40, 8, 33, 61]])
CORRUPT = torch.tensor([[5, 29, 40, 8, 77, 61]])
PAIR = (11, 23)
QUICK = ("Qwen3", "Gemma 2", "Phi")
Change = Callable[[Tensor], Tensor]


class Kind(NamedTuple):
    """Functions that build a model and find its parts."""

    build: Callable[[], nn.Module]
    layers: Callable[[Any], Any]
    projection: Callable[[Any], nn.Module]
    norm: Callable[[Any], nn.Module]


def _usual(build: Callable[[], nn.Module]) -> Kind:
    return Kind(
        build, lambda m: m.model.layers, lambda x: x.self_attn.o_proj, lambda m: m.model.norm
    )


KINDS = {
    "Qwen3": _usual(DECODERS["Qwen3"]),
    "Gemma 2": _usual(DECODERS["Gemma 2"]),
    "Gemma 3": _usual(DECODERS["Gemma 3"]),
    "OPT": Kind(
        lambda: OPTForCausalLM(OPTConfig(**TINY, ffn_dim=64, word_embed_proj_dim=32)),
        lambda m: m.model.decoder.layers,
        lambda x: x.self_attn.out_proj,
        lambda m: m.model.decoder.final_layer_norm,
    ),
    "Phi": Kind(
        lambda: PhiForCausalLM(PhiConfig(**TINY)),
        lambda m: m.model.layers,
        lambda x: x.self_attn.dense,
        lambda m: m.model.final_layernorm,
    ),
}


@contextmanager
def after(module: nn.Module, change: Change) -> Iterator[None]:
    """Change the output of a module, or the first of several outputs."""

    def hook(_: nn.Module, __: object, given: Any) -> Any:
        return change(given) if isinstance(given, Tensor) else (change(given[0]), *given[1:])

    handle = module.register_forward_hook(hook)
    yield
    handle.remove()


def given_by(model: Any, module: nn.Module, ids: Tensor) -> Tensor:
    found: list[Tensor] = []
    with after(module, lambda x: found.append(x) or x), torch.no_grad():
        model(ids)
    return found[0]


def read_by(model: Any, module: nn.Module, ids: Tensor) -> Tensor:
    found: list[Tensor] = []
    with before(module, lambda x: found.append(x) or x), torch.no_grad():
        model(ids)
    return found[0]


def lead(model: Any, ids: Tensor) -> float:
    with torch.no_grad():
        last = model(ids).logits[0, -1]
    return float(last[PAIR[0]] - last[PAIR[1]])


def close(found: float | Tensor | None, expected: float) -> None:
    """Compare float64 sums of hundreds of terms in another order, magnified by sharp weights."""
    assert found is not None
    assert float(found) == pytest.approx(expected, abs=1e-9, rel=1e-9)


def wide(build: Callable[[], nn.Module]) -> Any:
    """Build a model in float64 with the attention that Loupe records.

    The softmax of transformers' eager attention is in float32 whatever the model's type is.
    """
    model: Any = sharp(build).double().eval()
    model.set_attn_implementation("eager")
    return model


@pytest.fixture(scope="module", params=slow_except(QUICK, KINDS))
def kind(request: pytest.FixtureRequest) -> tuple[Kind, Any]:
    found = KINDS[request.param]
    return found, wide(found.build)


def test_the_stream_and_heads_are_patched(kind: tuple[Kind, Any]) -> None:
    parts, model = kind
    layers = parts.layers(model)
    found = loupe.patch(model, CLEAN, CORRUPT, PAIR)
    plain = lead(model, CORRUPT)
    close(found.before, plain)
    close(found.goal, lead(model, CLEAN))
    assert found.labels[1] == ("5", "17/29", "40", "8", "33/77", "61")
    for i, layer in enumerate(layers):
        clean = given_by(model, layer, CLEAN)
        row = found.labels[0].index(f"decoder.layers.{i}.output")
        for place in (1, 4, 5):
            with after(layer, put(clean, 0, place)):
                close(found.values[row, place], lead(model, CORRUPT) - plain)
    heads = loupe.patch(model, CLEAN, CORRUPT, PAIR, of="heads")
    assert heads.values.shape == (3, HEADS)
    for i, layer in enumerate(layers):
        module = parts.projection(layer)
        clean = read_by(model, module, CLEAN)
        size = clean.size(-1) // HEADS
        for head in range(HEADS):
            with before(module, put(clean, 0, slice(None), slice(head * size, (head + 1) * size))):
                close(heads.values[i, head], lead(model, CORRUPT) - plain)


def test_heads_and_sublayers_are_cut(kind: tuple[Kind, Any]) -> None:
    parts, model = kind
    found = loupe.ablate(model, CLEAN, PAIR)
    means = loupe.ablate(model, CLEAN, PAIR, how="mean", dataset=[CLEAN, CORRUPT[:, :4]])
    plain = lead(model, CLEAN)
    for i, layer in enumerate(parts.layers(model)):
        module = parts.projection(layer)
        row = found.labels[0].index(f"decoder.layers.{i}.self_attn")
        both = [read_by(model, module, ids) for ids in (CLEAN, CORRUPT[:, :4])]
        mean = torch.cat(both, dim=1).mean(dim=1, keepdim=True).expand_as(both[0])
        size = mean.size(-1) // HEADS
        for head in range(HEADS):
            place = (0, slice(None), slice(head * size, (head + 1) * size))
            for effects, new in ((found, torch.zeros_like(mean)), (means, mean)):
                with before(module, put(new, *place)):
                    close(effects.values[row, head], lead(model, CLEAN) - plain)
        with after(module, torch.zeros_like):
            close(found.values[row, -1], lead(model, CLEAN) - plain)


def test_the_lens_is_the_final_norm_and_the_unembedding(kind: tuple[Kind, Any]) -> None:
    parts, model = kind
    run = loupe.trace(model, CLEAN)
    found = loupe.lens(model, run)
    few = loupe.lens(model, run, rows=[-1, 2])
    layers = parts.layers(model)
    states = [read_by(model, layers[0], CLEAN), *(given_by(model, x, CLEAN) for x in layers)]
    cap = getattr(model.config, "final_logit_softcapping", None)
    for depth, state in enumerate(states):
        with torch.no_grad():
            logits = model.lm_head(parts.norm(model)(state))[0]
            logits = logits if cap is None else cap * torch.tanh(logits / cap)
        assert torch.allclose(found.logits[depth], logits, rtol=1e-9, atol=1e-9)
        assert torch.allclose(few.logits[depth], logits[[-1, 2]], rtol=1e-9, atol=1e-9)
    assert found.top(1)[-1][-1][0][0] == str(int(model(CLEAN).logits[0, -1].argmax()))


def test_weights_are_patched_and_made_even() -> None:
    model = wide(KINDS["Qwen3"].build)
    found = loupe.patch(model, CLEAN, CORRUPT, PAIR, of="weights")
    even = loupe.ablate(model, CLEAN, PAIR, how="even")
    clean = loupe.trace(model, CLEAN)
    name = "decoder.layers.1.self_attn.weights"
    allowed = torch.ones(6, 6, dtype=torch.float64).tril()
    row = even.labels[0].index("decoder.layers.1.self_attn")
    for head in range(HEADS):
        for new, effects, ids, at in (
            (clean[name][:, head], found, CORRUPT, 1),
            ((allowed / allowed.sum(-1, keepdim=True))[None], even, CLEAN, row),
        ):
            edits = {f"{name}[{head}]": lambda _, new=new: new}
            logits = loupe.trace(model, ids, edits=edits)["logits"][0, -1]
            by_hand = float(logits[PAIR[0]] - logits[PAIR[1]]) - effects.before
            close(effects.values[at, head], by_hand)


def test_a_gradient_is_that_of_the_models_own_code() -> None:
    parts = KINDS["Qwen3"]
    model = wide(parts.build)
    found = loupe.patch(model, CLEAN, CORRUPT, PAIR, how="gradient")
    for i, layer in enumerate(parts.layers(model)):
        clean, leaf = (given_by(model, layer, ids) for ids in (CLEAN, CORRUPT))
        leaf = leaf.detach().requires_grad_()
        with after(layer, lambda _, leaf=leaf: leaf):
            last = model(CORRUPT).logits[0, -1]
        slope = torch.autograd.grad(last[PAIR[0]] - last[PAIR[1]], leaf)[0]
        by_hand = ((clean - leaf) * slope)[0].sum(dim=-1).detach()
        row = found.labels[0].index(f"decoder.layers.{i}.output")
        assert torch.allclose(found.values[row].double(), by_hand, rtol=1e-5, atol=1e-5)


def test_a_folder_that_is_recorded_is_patched_as_the_model_in_memory(tmp_path: Path) -> None:
    model = sharp(DECODERS["Qwen3"]).eval()
    opened = loupe.load(save(model, tmp_path))
    assert isinstance(opened, RecordedFolder)
    for ask in (
        lambda m: loupe.patch(m, CLEAN, CORRUPT, PAIR).values,
        lambda m: loupe.patch(m, CLEAN, CORRUPT, PAIR, of="heads", how="gradient").values,
        lambda m: loupe.ablate(m, CLEAN, PAIR, how="mean").values,
        lambda m: loupe.ablate(m, CLEAN, PAIR, how="even").values,
        lambda m: loupe.lens(m, loupe.trace(m, CLEAN)).logits,
    ):
        found, expected = ask(opened), ask(model)
        scale = expected.nan_to_num().abs().max()
        apart = (found - expected).nan_to_num().abs().max()
        assert apart <= 1e-4 * scale, ask
        assert torch.equal(found.isnan(), expected.isnan())


def test_an_encoder_and_a_translator_in_memory_are_patched() -> None:
    encoder = wide(ENCODERS["BERT"])
    found = loupe.patch(encoder, CLEAN, CORRUPT, PAIR)
    assert found.labels[0][-1] == "encoder.layers.2.output"
    assert float(found.shares[-1, -1]) == pytest.approx(1)
    translator = wide(ENCODER_DECODERS["Marian"])
    aim = [4, 9, 12]
    found = loupe.patch(translator, CLEAN, CORRUPT, PAIR, target=aim)
    rows = torch.tensor([[1, *aim[:-1]]])  # the last token is written but not read
    layer = translator.model.encoder.layers[0]
    clean: list[Tensor] = []
    with torch.no_grad():
        with after(layer, lambda x: clean.append(x) or x):
            translator(CLEAN, decoder_input_ids=rows)
        with after(layer, put(clean[0], 0, 1)):
            last = translator(CORRUPT, decoder_input_ids=rows).logits[0, -1]
    row = found.labels[0].index("encoder.layers.0.output")
    by_hand = float(last[PAIR[0]] - last[PAIR[1]]) - found.before
    close(found.values[row, 1], by_hand)


def test_a_module_of_ones_own_is_patched_by_its_own_names() -> None:
    module = sharp(Writing).double().eval()
    clean, corrupt = ids_of("the cat sat on"), ids_of("the dog sat on")
    heads = loupe.patch(module, clean, corrupt, (3, 4), of="heads")
    cut = loupe.ablate(module, clean, (3, 4))
    run = loupe.trace(module, clean)
    name = heads.labels[0][1]
    for head in range(HEADS):
        new = run[name][:, head]
        for effects, ids, put_in in (
            (heads, corrupt, new),
            (cut, clean, torch.zeros_like(new)),
        ):
            edits = {f"{name}[{head}]": lambda _, put_in=put_in: put_in}
            found = loupe.trace(module, ids, edits=edits)
            logits = found["logits"] if "logits" in found else found["output"]
            by_hand = float(logits[0, -1, 3] - logits[0, -1, 4]) - effects.before
            close(effects.values[1, head], by_hand)
    with pytest.raises(ValueError, match=r'no residual stream of Writing .* of="heads"'):
        loupe.patch(module, clean, corrupt, (3, 4))


def test_a_text_is_read_by_the_tokenizer_that_is_given() -> None:
    model = sharp(DECODERS["Qwen3"]).eval()
    texts = ("the cat sat", "the dog sat")
    found = loupe.patch(model, texts[0], texts[1], ("mat", "dog"), of="heads", tokenizer=rules())
    ids = [[1, *ids_of(text)] for text in texts]
    by_ids = loupe.patch(model, ids[0], ids[1], (ids_of("mat")[0], ids_of("dog")[0]), of="heads")
    assert torch.equal(found.values, by_ids.values)
    spelt = loupe.ablate(model, texts[0], ids_of("mat")[0], tokenizer=Speller())
    assert torch.equal(
        spelt.values.nan_to_num(),
        loupe.ablate(model, ids_of(texts[0]), ids_of("mat")[0]).values.nan_to_num(),
    )
    with pytest.raises(TypeError, match=r"this module needs tokenizer="):
        loupe.patch(model, texts[0], texts[1], (3, 4))
    with pytest.raises(ValueError, match=r"a token as text needs tokenizer="):
        loupe.patch(model, ids[0], ids[1], "mat")


def test_a_family_that_is_known_is_poured_for_what_needs_its_parts() -> None:
    model: Any = sharp(DECODERS["GPT-2"]).eval()
    paths = loupe.path_patch(model, CLEAN, CORRUPT, PAIR)
    assert paths.values.shape == (3, HEADS)
    assert paths.before == pytest.approx(lead(model, CLEAN), abs=1e-4)
    run = loupe.trace(model, CLEAN)
    parts = loupe.logit_attribution(model, run, *PAIR)
    assert float(parts.values.sum()) == pytest.approx(lead(model, CLEAN), abs=1e-3)
    other = sharp(DECODERS["Qwen3"])
    with pytest.raises(TypeError, match="not of a family that Loupe knows"):
        loupe.path_patch(other, CLEAN, CORRUPT, PAIR)


def test_rows_that_change_one_another_are_run_one_by_one() -> None:
    class Leaking(Writing):
        """A model whose rows depend on the rest of the batch, as batch norms do."""

        def forward(self, ids: Tensor) -> Tensor:
            logits = super().forward(ids)
            return logits + logits.mean(dim=0, keepdim=True)

    module = sharp(Leaking).double().eval()
    ids = ids_of("the cat sat on")
    found = loupe.ablate(module, ids, (3, 4))
    name = loupe.trace(module, ids).names("*.heads")[0]
    for head in range(HEADS):
        logits = loupe.trace(module, ids, edits={f"{name}[{head}]": torch.zeros_like})["output"]
        close(found.values[0, head], float(logits[0, -1, 3] - logits[0, -1, 4]) - found.before)


def test_what_cannot_be_measured_is_said() -> None:
    decoder: Any = sharp(DECODERS["GPT-2"])
    with pytest.raises(LookupError, match=r"returns no logits \(batch position vocab\)"):
        loupe.ablate(decoder.transformer, CLEAN, PAIR)
