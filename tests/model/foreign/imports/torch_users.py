"""Typical user modules around nn.Transformer, and the tensors that they compute."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from model.positions import sinusoidal
from tests.tiny import shaken

PAD = 0


class Translator(nn.Module):
    """A translator: two embeddings, sinusoids, nn.Transformer and a linear map."""

    def __init__(self, *, batch_first: bool = True, scaled: bool = True, **options) -> None:
        super().__init__()
        self.batch_first = batch_first
        self.scale = math.sqrt(16) if scaled else 1.0
        self.source_words = nn.Embedding(11, 16)
        self.target_words = nn.Embedding(13, 16)
        self.register_buffer("table", sinusoidal(20, 16).unsqueeze(0))
        sizes = {"num_encoder_layers": 2, "num_decoder_layers": 3, "dim_feedforward": 24}
        self.transformer = nn.Transformer(16, 4, batch_first=batch_first, **sizes, **options)
        self.generator = nn.Linear(16, 13)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        vectors = [
            words(ids) * self.scale + self.table[:, : ids.size(1)]
            for words, ids in ((self.source_words, source), (self.target_words, target))
        ]
        if not self.batch_first:
            vectors = [x.transpose(0, 1) for x in vectors]
        causal = nn.Transformer.generate_square_subsequent_mask(target.size(1), dtype=self.dtype)
        hidden = self.transformer(
            *vectors,
            tgt_mask=causal,
            src_key_padding_mask=source == PAD,
            memory_key_padding_mask=source == PAD,
        )
        return self.generator(hidden)

    @property
    def dtype(self) -> torch.dtype:
        return self.generator.weight.dtype


class LanguageModel(nn.Module):
    """A GPT as in torch's tutorial: an encoder under a causal mask, with tied weights."""

    def __init__(self, **options) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 16)
        self.places = nn.Parameter(torch.zeros(20, 16))
        layer = nn.TransformerEncoderLayer(16, 4, 24, batch_first=True, norm_first=True, **options)
        self.stack = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.words(ids) + self.places[: ids.size(1)]
        mask = torch.ones(ids.size(1), ids.size(1)).triu(diagonal=1).bool()
        return (self.stack(x, mask=mask) @ self.words.weight.T).log_softmax(dim=-1)


class Classifier(nn.Module):
    """An encoder that averages its rows and predicts no token."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 16)
        layer = nn.TransformerEncoderLayer(16, 4, 24, batch_first=True, activation="gelu")
        self.stack = nn.TransformerEncoder(layer, 2, nn.LayerNorm(16), enable_nested_tensor=False)
        self.classes = nn.Linear(16, 3)

    def forward(self, ids: Tensor) -> Tensor:
        hidden = self.stack(self.words(ids), src_key_padding_mask=ids == PAD)
        return self.classes(hidden.mean(dim=1))


def built(kind: Callable[..., nn.Module], **options) -> nn.Module:
    torch.manual_seed(0)
    return shaken(kind(**options))


def recorded(module: nn.Module, run: Callable[[], object], sides: dict[str, str]) -> dict:
    """Run a module; return the tensors of torch's layers under Loupe's names.

    `sides` maps each of Loupe's stacks, such as "encoder", to its path in the module.
    """
    found: dict[str, Tensor] = {}
    handles = []
    for ours, path in sides.items():
        stack = module.get_submodule(path)
        handles.append(stack.register_forward_hook(_noting(found, f"{ours}.output", stack)))
        for i, layer in enumerate(stack.layers):
            handles += _listen(found, f"{ours}.layers.{i}", layer)
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)  # no hooks run in the fast path
    with torch.no_grad():
        run()
    torch.backends.mha.set_fastpath_enabled(fast)
    for handle in handles:
        handle.remove()
    return found


def _listen(found: dict[str, Tensor], name: str, layer: nn.Module) -> list:
    crosses = isinstance(layer, nn.TransformerDecoderLayer)
    norms = {"after_self_attn": "norm2" if layer.norm_first else "norm1"}
    if crosses:
        norms["after_cross_attn"] = "norm3" if layer.norm_first else "norm2"
    handles = [
        layer.register_forward_pre_hook(_noting(found, f"{name}.input", layer)),
        layer.register_forward_hook(_noting(found, f"{name}.output", layer)),
        layer.linear2.register_forward_pre_hook(
            _noting(found, f"{name}.feed_forward.hidden", layer)
        ),
        layer.linear2.register_forward_hook(_noting(found, f"{name}.feed_forward.output", layer)),
    ]
    for ours, theirs in norms.items():
        norm = getattr(layer, theirs)
        register = (
            norm.register_forward_pre_hook if layer.norm_first else norm.register_forward_hook
        )
        handles.append(register(_noting(found, f"{name}.{ours}", layer)))
    for ours, theirs in (("self_attn", "self_attn"), ("cross_attn", "multihead_attn")):
        if ours == "self_attn" or crosses:
            attention = getattr(layer, theirs)
            handles.append(
                attention.register_forward_pre_hook(_asking_for_weights, with_kwargs=True)
            )
            handles.append(
                attention.register_forward_hook(_noting_attention(found, f"{name}.{ours}"))
            )
    return handles


def _asking_for_weights(_, args, kwargs) -> tuple:
    return args, kwargs | {"need_weights": True, "average_attn_weights": False}


def _noting(found: dict[str, Tensor], name: str, part: nn.Module) -> Callable:
    attention = part.layers[0].self_attn if hasattr(part, "layers") else part.self_attn

    def note(_, args, output=None) -> None:
        x = args[0] if output is None else output
        found[name] = x if attention.batch_first else x.transpose(0, 1)

    return note


def _noting_attention(found: dict[str, Tensor], name: str) -> Callable:
    def note(module, _, output) -> None:
        mixed, weights = output
        found[f"{name}.weights"] = weights
        found[f"{name}.output"] = mixed if module.batch_first else mixed.transpose(0, 1)

    return note
