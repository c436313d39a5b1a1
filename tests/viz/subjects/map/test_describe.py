"""The map has the config's blocks, each tensor in one of them, and the right shapes."""

from dataclasses import replace

import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint
from model.presets import PRESETS, preset
from model.tensor_names import tensor_names
from model.text.tokenizer import Tokenizers
from model.transformer import Transformer
from tests.checkpoints import BY_HEART, DEFAULT
from viz.run.making import make_run
from viz.run.tensors import run_tensors
from viz.subjects.map.describe import describe

SUBLAYER = {"post": ("{}", "{}_norm"), "pre": ("{}_norm", "{}", "{}_add")}


@pytest.fixture(scope="module")
def run_of(checkpoint):
    """Return a function that runs a random model of any config on the other tests' sentence."""
    tokenizers = Tokenizers.train(
        BY_HEART.keys(), BY_HEART.values(), source_kind="word", target_kind="word", shared=True
    )

    def make(variant="paper", **overrides):
        sizes = {
            "source_vocab_size": tokenizers.source.vocab_size,
            "target_vocab_size": tokenizers.target.vocab_size,
            "d_model": 12,
            "d_ff": 20,
            "n_heads": 3,
            "n_encoder_layers": 1,
            "n_decoder_layers": 2,
            "tying": "none",
        }
        config = preset(variant, **(sizes | overrides))
        torch.manual_seed(0)
        model = Transformer(config).eval()
        info = replace(checkpoint.info, config=config, tokenizers=tokenizers)
        return make_run(Checkpoint(info=info, model=model), DEFAULT, target="le chat dort .")

    return make


def by_id(run):
    return {block.id: block for block in describe(run).blocks}


def ids(run, stack):
    return [block.id for block in describe(run).blocks if block.stack == stack]


CASES = [
    *({"variant": variant} for variant in PRESETS),
    {"positions": "none"},
    {"positions": "learned", "norm_placement": "pre"},
    {"n_encoder_layers": 3, "n_decoder_layers": 1, "final_norm": True},
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_tensor_of_the_run_belongs_to_exactly_one_block(run_of, case):
    run = run_of(**case)
    blocks = describe(run).blocks
    held = [name for block in blocks for name in block.holds]
    assert sorted(held) == sorted([*tensor_names(run.info.config), "probabilities"])
    assert len({block.id for block in blocks}) == len(blocks)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_block_opens_a_tensor_of_the_run_and_says_its_shape(run_of, case):
    run = run_of(**case)
    shapes = {name: tuple(tensor.shape) for name, tensor in run_tensors(run)}
    lengths = {"source": len(run.source.ids), "target": len(run.steps)}
    for block in describe(run).blocks:
        shape = shapes[block.tensor]
        if len(shape) > 2:  # positions have no batch axis
            shape = shape[1:]
        said = tuple(lengths.get(size, size) for size in block.shape)
        assert said == (shape[:1] if block.role == "tokens" else shape), block.id


def test_the_paper_puts_a_norm_after_each_sublayer(run_of):
    def layer(stack, i, *parts):
        return [f"{stack}.layers.{i}.{form.format(p)}" for p in parts for form in SUBLAYER["post"]]

    run = run_of()
    assert ids(run, "encoder") == [
        "source",
        "source_embedding",
        "source_embedding.positions",
        "source_embedding.sum",
        *layer("encoder", 0, "self_attn", "feed_forward"),
    ]
    assert ids(run, "decoder") == [
        "target",
        "target_embedding",
        "target_embedding.positions",
        "target_embedding.sum",
        *layer("decoder", 0, "self_attn", "cross_attn", "feed_forward"),
        *layer("decoder", 1, "self_attn", "cross_attn", "feed_forward"),
        "generator",
        "output",
        "candidates",
    ]
    assert not describe(run).pre_norm


def test_prenorm_puts_it_before_and_ends_each_stack_with_one(run_of):
    run = run_of("prenorm")
    inside = [
        f"encoder.layers.0.{form.format(part)}"
        for part in ("self_attn", "feed_forward")
        for form in SUBLAYER["pre"]
    ]
    assert ids(run, "encoder")[4:] == [*inside, "encoder.norm"]
    assert "decoder.norm" in ids(run, "decoder")
    blocks = by_id(run)
    assert blocks["encoder.norm"].note == "unbiased std"
    assert "1e−6" in blocks["encoder.norm"].sentence
    assert describe(run).pre_norm


MASKS = {
    "paper": (("padding",), ("causal", "padding"), ("padding",)),
    "tied": ((), ("causal", "padding"), ("padding",)),
    "headlist": ((), (), ()),
}


@pytest.mark.parametrize("variant", MASKS)
def test_masks_stand_where_they_act(run_of, variant):
    blocks = by_id(run_of(variant))
    names = (
        "encoder.layers.0.self_attn",
        "decoder.layers.0.self_attn",
        "decoder.layers.1.cross_attn",
    )
    assert tuple(blocks[name].masks for name in names) == MASKS[variant]
    label = "Self-attention" if variant == "headlist" else "Masked self-attention"
    assert blocks["decoder.layers.0.self_attn"].label == label


def test_scaling_is_said_where_the_variant_scales(run_of):
    scaled, plain = (by_id(run_of(scale_embeddings=flag)) for flag in (True, False))
    assert scaled["source_embedding"].note == "× √12"
    assert "times √12 ≈ 3.464" in scaled["source_embedding"].sentence
    assert plain["source_embedding"].note == ""
    assert "√" not in plain["source_embedding"].sentence


@pytest.mark.parametrize(
    ("tying", "ties"),
    [
        ("none", ()),
        ("decoder", (("target_embedding", "generator"),)),
        ("all", (("source_embedding", "target_embedding"), ("target_embedding", "generator"))),
    ],
)
def test_tied_blocks_are_linked_and_say_so(run_of, tying, ties):
    run = run_of(tying=tying)
    assert describe(run).ties == ties
    blocks = by_id(run)
    for name in ("source_embedding", "target_embedding", "generator"):
        assert ("share their weights" in blocks[name].sentence) == any(
            name in pair for pair in ties
        )


def test_layers_heads_and_widths_are_those_of_the_run(run_of):
    run = run_of(n_encoder_layers=2, n_decoder_layers=3)
    found = describe(run)
    assert found.layers == {"encoder": 2, "decoder": 3}
    assert found.heads == 3
    assert found.d_model == 12
    cross = by_id(run)["decoder.layers.2.cross_attn"]
    assert (cross.note, cross.shape) == ("3 heads", (3, "target", "source"))


def test_the_longest_wavelength_is_that_of_the_last_pair(run_of):
    """Section 3.5: 10000^(2i/d_model) for the last i, d_model / 2 - 1; here 10000^(10/12)."""
    sentence = by_id(run_of(d_model=12))["source_embedding.positions"].sentence
    assert "from 2π to 2154 · 2π" in sentence


@pytest.mark.parametrize(
    ("output", "label", "outside"),
    [
        ("logits", "Softmax", True),
        ("log_softmax", "Log-softmax", False),
        ("softmax", "Softmax", False),
    ],
)
def test_the_last_block_is_what_the_variant_hands_on(run_of, output, label, outside):
    block = by_id(run_of(output=output))["output"]
    assert (block.label, block.outside) == (label, outside)
