"""The JavaScript twin computes every choice of a config as PyTorch does."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import torch

from model import config as choices
from model.config import TransformerConfig
from model.interventions.kinds import Intervention
from model.transformer import Transformer
from model.writing import WritingRules
from tests.tiny import shaken
from tests.viz.pictures.twin.passes import Subject, check

VOCABULARY = 40
_SIZES: dict[str, Any] = {
    "source_vocab_size": VOCABULARY,
    "target_vocab_size": VOCABULARY,
    "d_model": 24,
    "d_ff": 36,
    "n_heads": 6,
    "d_k": 8,
    "d_v": 5,
    "n_encoder_layers": 2,
    "n_decoder_layers": 2,
    "max_length": 32,
    "dropout": 0.0,
}
_DECODER = {"source_vocab_size": 0, "n_encoder_layers": 0, "tying": "none"}
_ENCODER = {"target_vocab_size": 0, "n_decoder_layers": 0, "tying": "none"}
CONFIGS: dict[str, dict[str, Any]] = {
    "grouped queries, rotary, gated": {
        **_DECODER,
        "n_kv_heads": 2,
        "norm": "rms",
        "norm_placement": "pre",
        "final_norm": True,
        "positions": "rotary",
        "rotary_share": 0.5,
        "activation": "silu",
        "gated": True,
        "feed_forward_bias": False,
        "attention_bias": False,
        "window": 4,
        "tying": "all",
        "generator_bias": False,
    },
    "waves stretched in part": {
        **_DECODER,
        "positions": "rotary",
        "rotary_base": 500.0,
        "rotary_factor": 8.0,
        "rotary_context": 16,
        "rotary_high": 3.0,
        "norm_placement": "parallel",
        "activation": "gelu_tanh",
        "tying": "decoder",
        "score_scale": 0.7,
        "attention_output_bias": False,
    },
    "alibi, no feed-forward network": {
        **_DECODER,
        "d_ff": 0,
        "positions": "alibi",
        "norm_placement": "parallel",
        "window": 3,
        "causal_mask": True,
        "output": "log_softmax",
    },
    "no causal mask": {**_DECODER, "positions": "none", "causal_mask": False, "mask_fill": -1e4},
    "masked words": {
        **_ENCODER,
        "positions": "learned",
        "position_offset": 3,
        "positions_skip_padding": True,
        "pad_id": 2,
        "padding_by_id": False,
        "segments": 2,
        "embedding_norm": True,
        "scale_embeddings": False,
        "activation": "gelu",
        "head": "transform",
        "tying": "all",
        "output": "softmax",
        "n_kv_heads": 3,
    },
    "an encoder that predicts nothing": {**_ENCODER, "head": "none", "positions": "relative"},
    "relative, both ways": {
        "positions": "relative",
        "relative_buckets": 8,
        "relative_max_distance": 6,
        "scale_logits": True,
        "target_padding_mask": False,
        "n_kv_heads": 1,
        "norm_placement": "pre",
        "norm": "unbiased_std",
    },
    "parallel, both stacks": {
        "norm_placement": "parallel",
        "positions": "sinusoidal_halves",
        "decoder_padding_mask": False,
        "tying": "none",
        "head": "transform",
    },
    "padding that is masked": {"positions": "double_sine", "norm_eps": 1e-3, "pad_id": 7},
    "both stacks, alibi": {"positions": "alibi", "encoder_padding_mask": False, "d_ff": 0},
    "both stacks, rotary": {"positions": "rotary", "rotary_factor": 2.0, "tying": "decoder"},
}
RULES = {
    "grouped queries, rotary, gated": WritingRules(last=5, never=(11, 12)),
    "relative, both ways": WritingRules(first=9, last=4, never=tuple(range(20, 40))),
}


def model_of(name: str) -> Transformer:
    torch.manual_seed(0)
    model = shaken(Transformer(TransformerConfig(**_SIZES | CONFIGS[name])))
    model.rules = RULES.get(name, model.rules)
    return model


def subject_of(name: str, count: int, interventions: tuple[Intervention, ...] = ()) -> Subject:
    """Draw texts, some with the padding's id; three ids end what the model writes."""
    generator = random.Random(name)
    texts = [
        [generator.randrange(VOCABULARY) for _ in range(generator.randrange(3, 14))]
        for _ in range(count)
    ]
    return Subject(
        model_of(name), [(text, interventions) for text in texts], start=1, stops=(2, 17, 30)
    )


def changes(stack: str, *, kv_heads: int) -> Iterator[tuple[Intervention, ...]]:
    """Yield changes of each kind that the twin makes, alone and combined."""
    layer = f"{stack}.layers.1"
    attention = f"{layer}.self_attn"
    off = Intervention("zero", f"{attention}.heads", head=4)
    star = Intervention("zero", f"{stack}.layers.*.self_attn.heads", head=1, rows=(2,))
    louder = Intervention("scale", f"{layer}.self_attn.query", head=5, amount=2.5)
    shared = Intervention("scale", f"{attention}.key", head=kv_heads - 1, amount=-1.5)
    values = Intervention("zero", f"{attention}.value", head=0, columns=(1, 3))
    cut = Intervention("cut", f"{stack}.layers.*.self_attn.weights", 2, (2,), (0, 1))
    point = Intervention("point", f"{attention}.weights", None, (2,), (1,), 0.75)
    paint = Intervention("paint", f"{attention}.weights", 3, (2,), values=(1.0, 2.0, 0.5))
    hide = Intervention("set", f"{attention}.mask", rows=(2,), columns=(1,), amount=0)
    later = Intervention("set", f"{attention}.mask", rows=(1,), columns=(2,), amount=1)
    copied = Intervention("patch", f"{attention}.weights", 0, (2,), origin_head=5)
    moved = Intervention("patch", f"{attention}.weights", None, (2,), origin_rows=(1,))
    skip = Intervention("skip", f"{stack}.layers.0.output")
    norm = Intervention("set", f"{stack}.output", rows=(1,), columns=(0, 2), amount=3)
    for one in (off, star, louder, shared, values, cut, point, paint, hide, copied, moved, skip):
        yield (one,)
    yield (later,)
    yield (norm, off)
    yield (skip, cut, shared, copied)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", [True, False], ids=["WebAssembly", "JavaScript"])
def test_it_computes_what_torch_computes(kernel: bool, tmp_path: Path):
    subjects = {name: subject_of(name, 3) for name in CONFIGS}
    close = check(subjects, tmp_path, kernel=kernel)
    assert not close


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "stack", "kv_heads"),
    [
        ("grouped queries, rotary, gated", "decoder", 2),
        ("masked words", "encoder", 3),
        ("relative, both ways", "decoder", 1),
    ],
)
def test_it_makes_the_same_changes(name: str, stack: str, kv_heads: int, tmp_path: Path):
    plain = subject_of(name, 1)
    [(text, _)] = plain.cases
    made = [(text, each) for each in changes(stack, kv_heads=kv_heads)]
    assert not check({name: plain._replace(cases=made)}, tmp_path)


def test_every_choice_of_a_config_is_made():
    """Some model here makes it, or a shipped one, which `test_twin` compares."""
    made = [TransformerConfig(**_SIZES | values) for values in CONFIGS.values()]
    for field, named in (
        ("norm_placement", choices.NormPlacement),
        ("norm", choices.Norm),
        ("activation", choices.Activation),
        ("head", choices.Head),
        ("tying", choices.Tying),
        ("output", choices.Output),
    ):
        assert {getattr(each, field) for each in made} == set(get_args(named))
    elsewhere = {"sinusoidal", "single_frequency"}
    assert {each.positions for each in made} == set(get_args(choices.Positions)) - elsewhere
