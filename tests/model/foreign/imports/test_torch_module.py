import pytest
import torch
from model.foreign.imports.torch_stacks import activation_of
from torch import nn

from model.foreign.imports.torch_module import import_module
from model.traces import named_tensors
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


def imported(module: nn.Module, *ids: torch.Tensor):
    return import_module(module, lambda: module(*ids), *ids, pad_id=PAD)


def worst(ours: dict, theirs: dict, real: torch.Tensor) -> float:
    """Largest difference in rows that are no padding of the source."""

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
        found = imported(module, SOURCE, TARGET)
        theirs = recorded(module, lambda: module(SOURCE, TARGET), BOTH)
        ours = dict(named_tensors(found.model(SOURCE, TARGET)))
        assert len(theirs) == 2 * 7 + 3 * 10 + 2
        assert worst(ours, theirs, SOURCE != PAD) < 1e-5
        logits = module(SOURCE, TARGET)
        logits = logits if options.get("batch_first", True) else logits.transpose(0, 1)
        torch.testing.assert_close(ours["logits"], logits, atol=1e-5, rtol=0)
        assert found.differs < 1e-5

    def test_is_the_same_formula_in_double_precision(self):
        module = built(Translator, norm_first=True, batch_first=False).double()
        model = imported(module, SOURCE, TARGET).model
        assert model.generator.weight.dtype == torch.float64
        theirs = recorded(module, lambda: module(SOURCE, TARGET), BOTH)
        ours = dict(named_tensors(model(SOURCE, TARGET)))
        assert worst(ours, theirs, SOURCE != PAD) < 1e-6  # the table of sinusoids is of float32

    def test_config_says_what_was_found(self):
        config = imported(built(Translator), SOURCE, TARGET).model.config
        assert config.positions == "sinusoidal"
        assert config.scale_embeddings
        assert config.final_norm  # nn.Transformer always has them
        assert config.causal_mask
        assert config.encoder_padding_mask
        assert (config.source_vocab_size, config.target_vocab_size) == (11, 13)
        assert (config.tying, config.head) == ("none", "linear")

    def test_leaves_the_module_as_it_is(self):
        module = built(Translator)
        before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
        model = imported(module, SOURCE, TARGET).model
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(1)
        assert all(torch.equal(before[name], t) for name, t in module.state_dict().items())
        assert not [m for m in module.modules() if m._forward_hooks or m._forward_pre_hooks]


class TestStacksAlone:
    def test_encoder_under_a_causal_mask_is_a_decoder_alone(self):
        module = built(LanguageModel)
        found = imported(module, SOURCE)
        trace = found.model(None, SOURCE)
        assert trace.encoder is None
        assert (found.model.config.tying, found.model.config.positions) == ("all", "learned")
        torch.testing.assert_close(trace.output, module(SOURCE), atol=1e-5, rtol=0)
        theirs = recorded(module, lambda: module(SOURCE), {"decoder": "stack"})
        assert worst(dict(named_tensors(trace)), theirs, SOURCE != PAD) < 1e-5

    def test_encoder_that_predicts_no_token_has_no_head(self):
        module = built(Classifier)
        model = imported(module, SOURCE).model
        trace = model(SOURCE, None)
        assert trace.logits is None
        assert (model.config.positions, model.config.scale_embeddings) == ("none", False)
        theirs = recorded(module, lambda: module(SOURCE), {"encoder": "stack"})
        assert worst(dict(named_tensors(trace)), theirs, SOURCE != PAD) < 1e-5

    def test_sequence_without_an_axis_for_the_batch(self):
        module = built(LanguageModel)
        run = lambda: module.stack(module.words(SOURCE[0]) + module.places[:5])  # noqa: E731
        model = import_module(module, run, SOURCE[:1]).model
        torch.testing.assert_close(model(SOURCE[:1], None).encoder.output[0], run())


class TestRefuses:
    def refusal(self, module: nn.Module, *ids: torch.Tensor, run=None) -> str:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the test reads the message
            import_module(module, run or (lambda: module(*ids)), *ids)
        return str(caught.value)

    def test_module_without_torchs_layers(self):
        assert "no nn.Transformer" in self.refusal(nn.Linear(3, 3), SOURCE)

    def test_decoder_without_its_encoder(self):
        decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(16, 4), 1)
        assert "no nn.TransformerEncoder" in self.refusal(decoder, SOURCE)

    def test_two_models_in_one(self):
        both = nn.ModuleList([built(Classifier), built(Classifier)])
        assert "has 2: 0.stack, 1.stack" in self.refusal(both, SOURCE)

    def test_training_mode(self):
        assert "eval mode" in self.refusal(built(Classifier).train(), SOURCE)

    def test_half_precision(self):
        assert "call float()" in self.refusal(built(Classifier).bfloat16(), SOURCE)

    def test_layers_that_differ(self):
        module = built(Translator)
        for layer in module.transformer.decoder.layers:
            layer.norm_first = True
        message = self.refusal(module, SOURCE, TARGET)
        assert "same placement of the norms: it is post in encoder.layers.0" in message

    def test_norms_that_differ(self):
        module = built(Classifier)
        module.stack.norm.eps = 1e-3
        assert "same epsilon, got [1e-05, 0.001]" in self.refusal(module, SOURCE)

    def test_norm_of_another_kind(self):
        module = built(Classifier)
        module.stack.norm = nn.RMSNorm(16)
        assert "must be nn.LayerNorm, got RMSNorm" in self.refusal(module, SOURCE)

    def test_layers_of_the_users_own(self):
        module = built(Classifier)
        module.stack.layers[1] = nn.Identity()
        assert "got Identity" in self.refusal(module, SOURCE)

    def test_mask_that_is_not_causal(self):
        module = built(Classifier)
        mask = torch.zeros(5, 5)
        mask[0, 1] = -torch.inf
        run = lambda: module.stack(module.words(SOURCE), mask=mask)  # noqa: E731
        assert "hide all later ones and no other" in self.refusal(module, SOURCE, run=run)

    def test_mask_that_is_a_bias(self):
        module = built(Classifier)
        run = lambda: module.stack(module.words(SOURCE), mask=torch.full((5, 5), 0.5))  # noqa: E731
        assert "0 and -inf only" in self.refusal(module, SOURCE, run=run)

    def test_vectors_that_no_embedding_gives(self):
        module = built(Classifier)
        run = lambda: module.stack(nn.functional.relu(module.words(SOURCE)))  # noqa: E731
        assert "cannot be followed" in self.refusal(module, SOURCE, run=run)

    def test_run_on_other_ids(self):
        module = built(Classifier)
        run = lambda: module(SOURCE.flip(0))  # noqa: E731
        assert "1 embeddings tried" in self.refusal(module, SOURCE, run=run)

    def test_run_that_does_not_reach_the_stack(self):
        module = built(Classifier)
        assert "it went 0 times" in self.refusal(module, SOURCE, run=lambda: module.words(SOURCE))

    def test_something_between_encoder_and_decoder(self):
        module = built(Translator)
        module.transformer.encoder.register_forward_hook(lambda *given: given[-1] * 1.5)
        assert "differs by" in self.refusal(module, SOURCE, TARGET)

    def test_result_that_no_generator_gives(self):
        module = built(Translator)
        run = lambda: module(SOURCE, TARGET).relu()  # noqa: E731
        assert "none of this module gives its result" in self.refusal(
            module, SOURCE, TARGET, run=run
        )

    def test_ids_with_the_positions_first(self):
        module = built(Translator, batch_first=False)
        with pytest.raises(ValueError, match=r"one row a sentence, \(2, 5\).*got \(5, 2\)"):
            import_module(module, lambda: module(SOURCE, SOURCE), SOURCE.T, SOURCE.T)


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
