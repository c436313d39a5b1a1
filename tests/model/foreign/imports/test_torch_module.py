import re

import pytest
import torch
from torch import nn

from model.foreign.imports.torch_module import activation_of, pour_torch
from model.traces import named_tensors
from model.transformer import Transformer
from tests.model.foreign.imports.torch_users import (
    PAD,
    Classifier,
    LanguageModel,
    Translator,
    built,
    recorded,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*nested.tensor")

SOURCE = torch.tensor([[3, 4, 3, 9, 2], [4, 10, 5, PAD, PAD]])
TARGET = torch.tensor([[1, 12, 6, 5], [1, 6, 5, 7]])
BOTH = {"encoder": "transformer.encoder", "decoder": "transformer.decoder"}

ways = pytest.mark.parametrize(
    "options",
    [
        {},
        {"norm_first": True, "activation": "gelu"},
        {"batch_first": False, "scaled": False},
        {"bias": False, "layer_norm_eps": 1e-3},
        {"activation": nn.functional.silu, "batch_first": False, "norm_first": True},
    ],
    ids=["post", "pre gelu", "positions first", "no biases", "pre silu"],
)


def poured(module: nn.Module, *ids: torch.Tensor) -> Transformer:
    return pour_torch(module, *ids, pad_id=PAD)


def worst(ours: dict, theirs: dict, real: torch.Tensor) -> float:
    """Return the largest difference in rows that are not padding of the source."""

    def rows(name, tensor):
        if not name.startswith("encoder"):
            return tensor
        return tensor.transpose(1, 2)[real] if tensor.dim() == 4 else tensor[real]

    return max(
        (rows(name, ours[name]) - rows(name, tensor)).abs().max().item()
        for name, tensor in theirs.items()
    )


class TestTranslator:
    @ways
    def test_computes_what_torch_computes_at_each_step(self, options):
        module = built(Translator, **options)
        model = poured(module, SOURCE, TARGET)
        theirs = recorded(module, lambda: module(SOURCE, TARGET), BOTH)
        ours = dict(named_tensors(model(SOURCE, TARGET)))
        assert len(theirs) == 2 * 7 + 3 * 10 + 2
        assert worst(ours, theirs, SOURCE != PAD) < 1e-5
        logits = module(SOURCE, TARGET)
        logits = logits if options.get("batch_first", True) else logits.transpose(0, 1)
        torch.testing.assert_close(ours["logits"], logits, atol=1e-5, rtol=0)

    def test_is_the_same_formula_in_double_precision(self):
        module = built(Translator, norm_first=True, batch_first=False).double()
        model = poured(module, SOURCE, TARGET)
        assert model.generator.weight.dtype == torch.float64
        theirs = recorded(module, lambda: module(SOURCE, TARGET), BOTH)
        ours = dict(named_tensors(model(SOURCE, TARGET)))
        assert worst(ours, theirs, SOURCE != PAD) < 1e-6  # the sinusoids are in float32

    def test_config_says_what_was_found(self):
        config = poured(built(Translator), SOURCE, TARGET).config
        assert config.positions == "sinusoidal"
        assert config.scale_embeddings
        assert config.final_norm  # nn.Transformer always has them
        assert config.causal_mask
        assert config.encoder_padding_mask
        assert config.decoder_padding_mask
        assert not config.target_padding_mask
        assert (config.source_vocab_size, config.target_vocab_size) == (11, 13)
        assert (config.tying, config.head) == ("none", "linear")

    def test_leaves_the_module_as_it_is(self):
        module = built(Translator).train()
        before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
        model = poured(module, SOURCE, TARGET)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(1)
        assert all(torch.equal(before[name], t) for name, t in module.state_dict().items())
        assert all(m.training for m in module.modules())
        assert not [m for m in module.modules() if m._forward_hooks or m._forward_pre_hooks]


class TestStacksAlone:
    def test_encoder_under_a_causal_mask_is_a_decoder_alone(self):
        module = built(LanguageModel)
        model = poured(module, SOURCE)
        trace = model(None, SOURCE)
        assert trace.encoder is None
        assert (model.config.tying, model.config.positions) == ("all", "learned")
        assert model.config.max_length == 20
        torch.testing.assert_close(trace.output, module(SOURCE), atol=1e-5, rtol=0)
        theirs = recorded(module, lambda: module(SOURCE), {"decoder": "stack"})
        assert worst(dict(named_tensors(trace)), theirs, SOURCE != PAD) < 1e-5

    def test_encoder_that_predicts_no_token_has_no_head(self):
        module = built(Classifier)
        model = poured(module, SOURCE)
        trace = model(SOURCE, None)
        assert trace.logits is None
        assert (model.config.positions, model.config.scale_embeddings) == ("none", False)
        theirs = recorded(module, lambda: module(SOURCE), {"encoder": "stack"})
        assert worst(dict(named_tensors(trace)), theirs, SOURCE != PAD) < 1e-5


class Changed(Classifier):
    """A classifier with an additional step in its forward."""

    def __init__(self, forward):
        super().__init__()
        self.own = forward

    def forward(self, ids):
        return self.own(self, ids)


def odd_mask(module, ids):
    mask = torch.zeros(5, 5)
    mask[0, 1] = -torch.inf
    return module.stack(module.words(ids), mask=mask)


def changed(module, change):
    change(module)
    return module


class Twice(nn.ModuleList):
    def forward(self, ids):
        return self[1](ids)


REFUSED = {
    "no nn.Transformer": lambda: nn.Linear(3, 3),
    "no nn.TransformerEncoder": lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(16, 4), 1),
    "this module has 2 and 0": lambda: Twice([built(Classifier), built(Classifier)]),
    "same norm eps, got 0.001 and 1e-05": lambda: changed(
        built(Classifier), lambda module: setattr(module.stack.norm, "eps", 1e-3)
    ),
    "must be nn.LayerNorm, got RMSNorm": lambda: changed(
        built(Classifier), lambda module: setattr(module.stack, "norm", nn.RMSNorm(16))
    ),
    "got Identity": lambda: changed(
        built(Classifier), lambda module: module.stack.layers.__setitem__(1, nn.Identity())
    ),
    "differs by": lambda: built(Changed, forward=odd_mask),
    "no embedding and no table of this module": lambda: built(
        Changed, forward=lambda module, ids: module.stack(module.words(ids).relu())
    ),
    "no attention was seen in": lambda: built(
        Changed, forward=lambda module, ids: module.words(ids)
    ),
}


class TestRefuses:
    @pytest.mark.parametrize("says", REFUSED)
    def test_what_cannot_be_followed(self, says):
        with pytest.raises(ValueError, match=re.escape(says)):
            poured(REFUSED[says](), SOURCE)

    def test_layers_that_differ(self):
        module = built(Translator)
        for layer in module.transformer.decoder.layers:
            layer.norm_first = True
        with pytest.raises(ValueError, match="same norm placement, got post and pre"):
            poured(module, SOURCE, TARGET)

    def test_something_between_encoder_and_decoder(self):
        module = built(Translator)
        module.transformer.encoder.register_forward_hook(lambda *given: given[-1] * 1.5)
        with pytest.raises(ValueError, match="differs by"):
            poured(module, SOURCE, TARGET)

    def test_result_that_no_generator_gives(self):
        module = built(Translator)
        module.generator = nn.Sequential(module.generator, nn.ReLU())
        module.generator.weight = module.generator[0].weight
        with pytest.raises(ValueError, match="no part of it gives that result"):
            poured(module, SOURCE, TARGET)


class TestActivationOf:
    @pytest.mark.parametrize(
        ("function", "name"),
        [
            (nn.ReLU(), "relu"),
            (nn.functional.gelu, "gelu"),
            (nn.GELU(approximate="tanh"), "gelu_tanh"),
            (lambda x: x * torch.sigmoid(x), "silu"),
        ],
    )
    def test_knows_an_activation_by_its_values(self, function, name):
        assert activation_of(function) == name

    def test_refuses_another(self):
        with pytest.raises(ValueError, match=r"must be one of relu, gelu.*got tanh"):
            activation_of(torch.tanh)
