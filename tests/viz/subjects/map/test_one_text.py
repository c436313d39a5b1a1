"""The map of a model of one text: its blocks, and each tensor in one of them."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.traces import named_tensors, present
from model.transformer import Transformer
from tests.checkpoints import ONE_TEXT, ONE_TEXT_MODELS
from viz.run.making import make_run
from viz.run.payload import pack_run
from viz.run.record import Run
from viz.run.tensors import run_tensor_names
from viz.run.told import pack_told
from viz.subjects.map.describe import describe
from viz.subjects.map.picture import map_payload
from viz.subjects.map.tensor import tensor_view

SHAPES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in ONE_TEXT_MODELS},
    "side by side": ("tiny-gpt", {"norm_placement": "parallel", "positions": "sinusoidal"}),
    "no feed-forward, norm after": ("tiny-gpt", {"norm_placement": "post", "d_ff": 0}),
    "norm on the embeddings alone": ("tiny-alibi", {"embedding_norm": True, "tying": "none"}),
    "predicts nothing": ("tiny-bert", {"head": "none", "final_norm": True}),
    "segments alone": ("tiny-bert", {"positions": "none", "embedding_norm": False}),
}


def run_of(folder: Path, shape: str) -> Run:
    name, changes = SHAPES[shape]
    checkpoint = load_checkpoint(folder / name)
    config = replace(checkpoint.info.config, **changes)
    torch.manual_seed(0)
    model = Transformer(config).eval().requires_grad_(False)
    made = Checkpoint(info=replace(checkpoint.info, config=config), model=model)
    return make_run(made, ONE_TEXT)


def blocks(run: Run) -> dict[str, Any]:
    return {block.id: block for block in describe(run).blocks}


@pytest.mark.parametrize("shape", SHAPES)
def test_each_tensor_is_held_by_one_block_and_each_block_opens_one_of_its_shape(
    one_text_checkpoints: Path, shape: str
) -> None:
    run = run_of(one_text_checkpoints, shape)
    names = run_tensor_names(run)
    held = Counter(name for block in describe(run).blocks for name in block.holds)
    assert {name: held[name] for name in names if held[name] != 1} == {}
    assert set(held) == set(names)
    assert len(blocks(run)) == len(describe(run).blocks)
    lengths = {"source": len(run.source.ids), "target": len(run.steps)}
    for block in describe(run).blocks:
        view = present(tensor_view(run, block.tensor))
        if block.role != "tokens":
            assert tuple(lengths.get(size, size) for size in block.shape) == view.array.shape
    map_payload(run, pack_run(run, "any"))


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_and_columns_of_every_tensor_have_names(
    one_text_checkpoints: Path, shape: str
) -> None:
    run = run_of(one_text_checkpoints, shape)
    inputs = run.texts["source"] or run.texts["target"][:-1]
    for name, tensor in named_tensors(run.trace):
        view = present(tensor_view(run, name))
        assert view.row_tokens == inputs
        assert view.array.shape[-2] == len(inputs)
        if view.column_tokens:
            assert len(view.column_tokens) == tensor.shape[-1]


@pytest.mark.slow
def test_there_are_the_blocks_that_the_model_has(one_text_checkpoints: Path) -> None:
    gpt = blocks(run_of(one_text_checkpoints, "tiny-gpt"))
    roles = [block.role for block in gpt.values() if block.layer in (None, 0)]
    assert roles == [
        *("tokens", "embedding"),
        *("norm", "attention", "add", "norm", "feed_forward", "add"),
        *("final_norm", "linear", "output", "candidates"),
    ]
    attention = gpt["decoder.layers.0.self_attn"]
    assert (attention.place, attention.masks, attention.note) == (
        "rotary",
        ("causal", "padding"),
        "4 heads, 2 K/V",
    )
    bert = blocks(run_of(one_text_checkpoints, "tiny-bert"))
    assert [block.role for block in bert.values() if block.layer is None] == [
        *("tokens", "embedding", "positions", "segments", "sum", "embedding_norm"),
        *("transform", "linear", "output", "candidates"),
    ]
    assert bert["encoder.layers.0.self_attn"].masks == ("padding",)
    alibi = describe(run_of(one_text_checkpoints, "tiny-alibi"))
    assert alibi.parallel
    assert [b.role for b in alibi.blocks if b.layer == 0] == ["norm", "attention", "add"]
    assert blocks(run_of(one_text_checkpoints, "tiny-alibi"))[
        "decoder.layers.0.self_attn"
    ].masks == ("causal", "window", "padding")
    nothing = describe(run_of(one_text_checkpoints, "predicts nothing"))
    assert nothing.blocks[-1].role == "final_norm"
    assert nothing.ties == ()


def test_heads_that_share_keys_are_said_to(one_text_checkpoints: Path) -> None:
    run = run_of(one_text_checkpoints, "tiny-gpt")
    assert "share their keys and values" in blocks(run)["decoder.layers.0.self_attn"].sentence


def test_candidates_of_an_encoder_are_of_each_place(one_text_checkpoints: Path) -> None:
    run = run_of(one_text_checkpoints, "tiny-bert")
    meta, steps = map_payload(run, pack_run(run, "any"))["meta"], pack_told(run)["steps"]
    probabilities = present(run.trace.logits)[0].softmax(dim=-1)
    assert len(steps) == len(run.source.ids)
    for row, own, step in zip(probabilities, run.source.tokens, steps, strict=True):
        tokens = [one["token"] for one in step["candidates"] if one["id"] == step["id"]]
        assert tokens == [own]
        assert step["candidates"][0]["probability"] == pytest.approx(row.max().item())
    assert meta["by_row"]
    assert "decoder" not in meta["layers"]
