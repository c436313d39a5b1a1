"""The tensors in the output of a transformers model have the model's names for them."""

import pytest
import torch
import transformers
from torch import Tensor, nn

import loupe
from tests.loupe.spread import made

IDS = torch.tensor([[5, 6, 7, 8, 9, 10]])
IMAGE = 59
"""The id that LLaVA replaces by a patch of the image."""
TEXT = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "vocab_size": 60,
}
SEEING = {**TEXT, "image_size": 8, "patch_size": 4}
SEEING.pop("vocab_size")
XLNET = {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 48, "vocab_size": 60}
ANSWERS = (
    *("start_top_log_probs", "start_top_index", "end_top_log_probs", "end_top_index"),
    "cls_logits",
)
MEMORIES = ("mems.0", "mems.1")
MODELS = [
    ("BertForSequenceClassification", "BertConfig", TEXT, ("logits",)),
    ("BertForQuestionAnswering", "BertConfig", TEXT, ("start_logits", "end_logits")),
    ("BertModel", "BertConfig", TEXT, ("last_hidden_state", "pooler_output")),
    ("ViTForImageClassification", "ViTConfig", SEEING, ("logits",)),
    ("XLNetLMHeadModel", "XLNetConfig", XLNET, ("logits", *MEMORIES)),
    ("XLNetModel", "XLNetConfig", XLNET, ("last_hidden_state", *MEMORIES)),
    ("XLNetForTokenClassification", "XLNetConfig", XLNET, ("logits", *MEMORIES)),
    (
        "XLNetForQuestionAnswering",
        "XLNetConfig",
        XLNET,
        (*ANSWERS, *MEMORIES),
    ),
]


@pytest.fixture(autouse=True)
def _without_gradients():
    with torch.no_grad():
        yield


@pytest.mark.parametrize(("kind", "config", "settings", "names"), MODELS)
def test_outputs_have_the_names_that_the_model_gives_them(
    kind: str, config: str, settings: dict, names: tuple[str, ...]
) -> None:
    model = made(kind, config, **settings)
    inputs = {"input_ids": IDS}
    if kind.startswith("ViT"):
        inputs = {"pixel_values": torch.randn(1, 3, 8, 8)}
    run, told = loupe.trace(model, inputs=inputs), model(**inputs)
    for name in names:
        torch.testing.assert_close(run[name], _of(told, name))
    picked = loupe.trace(model, inputs=inputs, names=names[0])
    assert picked.names() == names[:1]


@pytest.fixture(params=[-1, -2])
def llava(request: pytest.FixtureRequest) -> nn.Module:
    """Build a model that reads an image of four patches as four tokens of a text."""
    config = transformers.LlavaConfig(
        vision_config=transformers.CLIPVisionConfig(**SEEING),
        text_config=transformers.LlamaConfig(**TEXT),
        image_token_index=IMAGE,
        vision_feature_layer=request.param,
    )
    torch.manual_seed(0)
    model = transformers.LlavaForConditionalGeneration(config)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.2)
    return model.eval()


def test_an_image_and_a_text_give_logits_and_what_was_seen(llava: nn.Module) -> None:
    inputs = {
        "input_ids": torch.tensor([[1, *[IMAGE] * 4, 5, 6, 7]]),
        "pixel_values": torch.randn(1, 3, 8, 8, generator=torch.Generator().manual_seed(1)),
    }
    run, told = loupe.trace(llava, inputs=inputs), llava(**inputs)
    assert not run.missing
    for name in ("logits", "image_hidden_states"):
        torch.testing.assert_close(run[name], told[name])
    again = loupe.trace(llava, inputs=inputs)  # transformers has now added its own hooks
    torch.testing.assert_close(again["logits"], told["logits"])
    for stack in ("vision_tower.encoder", "language_model"):
        weights = run.names(f"*{stack}.layers.*.self_attn.weights")
        assert len(weights) == 2
        for name in weights:
            sums = run[name].sum(dim=-1)
            torch.testing.assert_close(sums, torch.ones_like(sums))


def test_a_text_without_an_image_is_read_by_one_stack(llava: nn.Module) -> None:
    run, told = loupe.trace(llava, inputs={"input_ids": IDS}), llava(input_ids=IDS)
    torch.testing.assert_close(run["logits"], told["logits"])
    assert run["decoder.layers.1.self_attn.weights"].shape == (1, 4, 6, 6)


def _of(told: transformers.utils.ModelOutput, name: str) -> Tensor:
    """Return the tensor of an output, or of a tuple in it, by its name."""
    field, _, place = name.partition(".")
    return told[field][int(place)] if place else told[field]


def test_hooks_that_a_pass_adds_are_not_added_again() -> None:
    """Like transformers, the module adds its hook once and remembers it in an attribute."""

    class Hooking(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.attend = nn.Embedding(60, 16), nn.MultiheadAttention(16, 2)
            self.is_hooked = False

        def forward(self, ids: Tensor) -> Tensor:
            if not self.is_hooked:
                self.embed.register_forward_hook(lambda _, __, x: x + 1)
                self.is_hooked = True
            x = self.embed(ids)
            return self.attend(x, x, x)[0]

    module = Hooking().eval()
    runs = [loupe.trace(module, inputs=IDS) for _ in range(3)]
    expected = module(IDS)
    for run in runs:
        torch.testing.assert_close(run["output"], expected)
    assert len(module.embed._forward_hooks) == 1
