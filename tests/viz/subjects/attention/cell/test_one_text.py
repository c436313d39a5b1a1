"""A cell of a model of one text: each step as float64 has it, and as torch has it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn import functional

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.config import TransformerConfig
from model.traces import present
from model.transformer import Transformer
from tests.checkpoints import ONE_TEXT, ONE_TEXT_MODELS
from tests.tiny import shaken
from viz.run.axes import attention_trace
from viz.run.making import make_run
from viz.run.record import Run
from viz.subjects.attention.cell.explain import explain_cell

SHAPES: dict[str, dict[str, Any]] = {
    **{name: {} for name in ONE_TEXT_MODELS},
    "parallel, part turned": {
        "norm_placement": "parallel",
        "norm": "unbiased_std",
        "rotary_share": 0.5,
        "d_k": 12,
        "attention_output_bias": False,
    },
    "relative": {"positions": "relative", "score_scale": 1.0, "attention_bias": False},
}


@pytest.fixture(scope="module", params=SHAPES)
def made(request: pytest.FixtureRequest, one_text_checkpoints: Path) -> tuple[Run, Transformer]:
    changes = SHAPES[request.param]
    checkpoint = load_checkpoint(
        one_text_checkpoints / (request.param if not changes else "tiny-gpt")
    )
    if changes:
        config = replace(checkpoint.info.config, **changes)
        torch.manual_seed(0)
        model = shaken(Transformer(config))
        assert isinstance(model, Transformer)
        checkpoint = Checkpoint(info=replace(checkpoint.info, config=config), model=model)
    return make_run(checkpoint, ONE_TEXT), checkpoint.model


def test_each_step_of_a_cell_agrees_with_float64(made: tuple[Run, Transformer]) -> None:
    run, model = made
    (site,) = run.anatomy.sites
    for layer in range(site.layers):
        for head in range(site.heads):
            cell = explain_cell(run, model, site.name, layer, head, 6, 5)
            assert [line.name for line in cell.lines if not line.agrees] == []


def test_a_cell_is_what_torch_makes_of_its_query_and_its_keys(
    made: tuple[Run, Transformer],
) -> None:
    run, model = made
    (site,) = run.anatomy.sites
    attention = attention_trace(run, site.name, 1)
    cell = explain_cell(run, model, site.name, 1, 3, 6, 5)
    shared = site.heads // site.kv_heads
    key = attention.key.repeat_interleave(shared, dim=1)
    bias = torch.zeros(site.heads, 1, 1) if attention.bias is None else attention.bias[0]
    hidden = ~attention.mask.expand(1, *attention.weights.shape[-2:])
    ones = torch.eye(key.size(2)).expand(1, site.heads, -1, -1)  # as values they give the weights
    weights = functional.scaled_dot_product_attention(
        attention.query,
        key,
        ones,
        attn_mask=(bias + torch.zeros_like(hidden, dtype=torch.float)).masked_fill(
            hidden, -torch.inf
        ),
        scale=present(run.info.config.score_scale or site.d_k**-0.5),
    )
    assert cell.weight == pytest.approx(weights[0, 3, 6, 5].item(), abs=1e-6)
    assert cell.key_head == 3 // shared
    assert cell.sharing == ((2, 3) if shared == 2 else ())


def test_a_query_and_a_key_are_turned_by_their_places(one_text_checkpoints: Path) -> None:
    checkpoint = load_checkpoint(one_text_checkpoints / "tiny-gpt")
    run = make_run(checkpoint, ONE_TEXT)
    cell = explain_cell(run, checkpoint.model, "decoder self-attention", 0, 1, 7, 3)
    turned = present(cell.turned)
    assert turned.query[0] == 7
    assert turned.key[0] == 3
    config = run.info.config
    assert turned.key[1] == pytest.approx(3 * config.rotary_base ** (-2 / config.d_k))


def test_a_key_that_was_not_turned_is_found_out(one_text_checkpoints: Path) -> None:
    checkpoint = load_checkpoint(one_text_checkpoints / "tiny-gpt")
    run = make_run(checkpoint, ONE_TEXT)
    config: TransformerConfig = replace(run.info.config, rotary_base=5000.0)
    wrong = replace(run, info=replace(run.info, config=config))
    cell = explain_cell(wrong, checkpoint.model, "decoder self-attention", 0, 1, 7, 3)
    assert [line.name for line in cell.lines if not line.agrees] == ["query", "key"]
