"""Facts that Loupe learns in the first trace of a model and uses in later traces."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers.models.gpt2.modeling_gpt2 import GPT2Block

import loupe
from tests.loupe.test_foreign import Attending, ids_of, sharp, t5
from tests.model.foreign.huggingface.families import DECODERS, ENCODERS

MODELS = {
    "GPT-2": lambda: sharp(DECODERS["GPT-2"]),
    "Gemma 2": lambda: sharp(DECODERS["Gemma 2"]),
    "BERT": lambda: sharp(ENCODERS["BERT"]),
    "T5": t5,
}
IDS, OTHERS = torch.randint(3, 20, (2, 1, 9), generator=torch.Generator().manual_seed(0))


def traced(model: nn.Module, ids: Tensor, **how: Any) -> loupe.Run:
    inputs = {"input_ids": ids}
    if model.config.is_encoder_decoder:
        inputs["decoder_input_ids"] = ids[:, :4]
    return loupe.trace(model, list("abcdefghi"), inputs=inputs, **how)


def passes(model: nn.Module, ids: Tensor, **how: bool) -> int:
    count = 0

    def counting(*_: object) -> None:
        nonlocal count
        count += 1

    handle = model.register_forward_pre_hook(counting)
    traced(model, ids, **how)
    handle.remove()
    return count


@pytest.mark.parametrize("name", MODELS)
def test_a_later_trace_is_one_pass_and_the_same_as_a_first_one(name: str) -> None:
    model = MODELS[name]()
    assert passes(model, IDS) == 3
    assert passes(model, OTHERS) == 1
    assert passes(model, OTHERS, check=True) == 2
    later, first = traced(model, OTHERS), traced(MODELS[name](), OTHERS)
    assert later.names() == first.names()
    assert all(torch.equal(later[each], first[each]) for each in first)
    assert later.anatomy == first.anatomy
    assert later.own_names == first.own_names
    assert passes(model, OTHERS[:, :5]) == 1
    other = MODELS[name]()
    assert [passes(other, IDS[:, :size]) for size in (5, 9, 5, 9)] == [3, 3, 1, 1]


def test_what_is_said_to_differ_was_compared() -> None:
    model = MODELS["GPT-2"]().double()

    def apart(run: loupe.Run, ids: Tensor) -> float:
        with torch.no_grad():
            return (run["logits"] - model.eval()(ids, use_cache=False).logits).abs().max().item()

    first, later, checked = (
        traced(model, IDS),
        traced(model, OTHERS),
        traced(model, OTHERS, check=True),
    )
    assert first.differs == apart(first, IDS)
    assert "which differs from a plain one by" in repr(first)
    assert (later.differs, later.compared) == (first.differs, False)
    assert "The first pass of this model differed from a plain one by" in repr(later)
    assert (checked.differs, checked.compared) == (apart(checked, OTHERS), True)
    none = traced(model, IDS, check=False)
    assert (none.differs, none.compared) == (None, False)
    assert "not compared with a plain one" in repr(none)


def test_a_model_that_has_changed_is_looked_at_again() -> None:
    model = MODELS["GPT-2"]()
    traced(model, IDS)
    model.transformer.h = model.transformer.h[:2]
    assert passes(model, IDS) == 3
    assert len(traced(model, IDS).names("*.self_attn.weights")) == 2
    assert passes(model.double(), IDS) == 3


def test_outputs_are_those_of_the_modules_whether_a_plan_is_kept_or_not() -> None:
    model, expected = MODELS["GPT-2"](), dict[str, Tensor]()
    for path, part in model.named_modules():
        part.register_forward_hook(lambda _, __, x, path=path: expected.update({path: x}))
    for record in (["h.*", "mlp.act"], ["wte"], None, ["h.*", "mlp.act"]):
        run = traced(model, OTHERS, record=record)
        ends = [] if record is None else [path for path in expected if chosen(path, record)]
        assert list(run.outputs) == [f"{path}.output" for path in ends]
        assert all(torch.equal(run[f"{path}.output"], expected[path]) for path in ends)
    with pytest.raises(ValueError, match=r"ends in 'layers.\*'"):
        traced(model, OTHERS, record=["layers.*"])


def chosen(path: str, record: list[str]) -> bool:
    first = path.split(".")
    return ("h.*" in record and first[-2:-1] == ["h"]) or (
        path.endswith("mlp.act") if "mlp.act" in record else path.endswith("wte")
    )


def test_what_stands_in_for_the_stream_is_kept_as_well() -> None:
    model = sharp(Attending)
    first, later = (loupe.trace(model, ids_of, "the cat sat") for _ in range(2))
    assert later.compared is False
    assert list(later.outputs) == list(first.outputs) != []
    assert all(torch.equal(later[each], first[each]) for each in first)


class AddingInPlace(GPT2Block):
    def forward(self, x: Tensor, *given: object, **named: object) -> Tensor:
        attention_mask = named.get("attention_mask", given[1] if len(given) > 1 else None)
        x += self.attn(self.ln_1(x), attention_mask=attention_mask)[0]
        x += self.mlp(self.ln_2(x))
        return x


def test_code_that_changes_its_stream_in_place_is_followed_each_time() -> None:
    model, plain = MODELS["GPT-2"](), MODELS["GPT-2"]()
    for block in model.transformer.h:
        block.__class__ = AddingInPlace
    for _ in range(2):
        run, expected = (traced(each, IDS, record=["h.*"]) for each in (model, plain))
        assert run.names("*.layers.*put") == expected.names("*.layers.*put")
        for each in expected.names("*put"):
            torch.testing.assert_close(run[each], expected[each])


class Choosing(nn.Module):
    """A module that runs one layer if the first id is even, and two if it is odd."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.config = nn.Embedding(20, 8), None
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(8, 2, 16, batch_first=True) for _ in range(2)
        )

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embed(ids)
        for layer in self.layers[: 1 + int(ids[0, 0] % 2)]:
            x = layer(x)
        return x


def test_a_pass_that_is_not_as_the_first_one_was_is_looked_at_itself() -> None:
    model = Choosing()
    odd, even = IDS.clone(), IDS.clone()
    odd[0, 0], even[0, 0] = 3, 4
    for ids, n_layers in ((odd, 2), (even, 1), (odd, 2)):
        run = loupe.trace(model, list("abcdefghi"), inputs=ids)
        assert len(run.names("*.self_attn.weights")) == n_layers
        assert torch.equal(run["encoder.output"], run[f"encoder.layers.{n_layers - 1}.output"])
