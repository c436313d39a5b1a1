"""Cells of models of one text, compared with PyTorch in float64."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.transformer import Transformer
from tests.checkpoints import ONE_TEXT, ONE_TEXT_MODELS
from tests.shipped import PAPER, shipped
from tests.tiny import shaken
from tests.viz.subjects.attention.making import (
    Place,
    made_cell,
    made_of_heads,
    off,
)
from viz.run.axes import attention_trace
from viz.run.making import make_run
from viz.run.record import Run

SELF = "decoder self-attention"
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
"""Models of one text: grouped keys, rotary positions, biases by distance, other norms."""


@pytest.fixture(scope="module", params=SHAPES)
def one_text(request: pytest.FixtureRequest, one_text_checkpoints) -> tuple[Run, Transformer]:
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


def test_each_line_agrees_in_models_of_one_text(one_text: tuple[Run, Transformer]):
    run, model = one_text
    (site,) = run.anatomy.sites
    places = [
        Place(site.name, layer, head, 6, 5)
        for layer in range(site.layers)
        for head in range(site.heads)
    ]
    for cell in made_of_heads(run, model, places):
        assert not np.isnan(cell["lines"]).any()
        assert off(cell) == []
        assert cell["reads"] == (site.name == SELF)


def test_a_cell_is_what_torch_makes_of_its_query_and_its_keys(one_text: tuple[Run, Transformer]):
    run, model = one_text
    (site,) = run.anatomy.sites
    attention = attention_trace(run, site.name, 1)
    cell = made_cell(run, model, site.name, 1, 3, 6, 5)
    shared = site.heads // site.kv_heads
    key = attention.key.repeat_interleave(shared, dim=1)
    bias = torch.zeros(site.heads, 1, 1) if attention.bias is None else attention.bias[0]
    hidden = ~attention.mask.expand(1, *attention.weights.shape[-2:])
    ones = torch.eye(key.size(2)).expand(1, site.heads, -1, -1)  # as values, returns the weights
    scale = run.info.config.score_scale or site.d_k**-0.5
    weights = functional.scaled_dot_product_attention(
        attention.query,
        key,
        ones,
        attn_mask=(bias + torch.zeros_like(hidden, dtype=torch.float)).masked_fill(
            hidden, -torch.inf
        ),
        scale=scale,
    )
    assert cell["weight"] == pytest.approx(weights[0, 3, 6, 5].item(), abs=1e-6)
    assert cell["readers"].tolist() == ([2, 3] if shared == 2 else [3])
    assert cell["score"]["scale"] == (None if scale == site.d_k**-0.5 else scale)
    if attention.bias is None:
        assert cell["score"]["bias"] is None
    else:
        assert cell["score"]["bias"] == attention.bias[0, 3, 6, 5]


def test_a_query_and_a_key_are_turned_by_their_places(one_text_checkpoints):
    """The lines of rotary positions agree only if the angles are right."""
    checkpoint = load_checkpoint(one_text_checkpoints / "tiny-gpt")
    run = make_run(checkpoint, ONE_TEXT)
    wrong = Transformer(replace(run.info.config, rotary_base=5000.0))
    wrong.load_state_dict(checkpoint.model.state_dict())
    cells = [made_cell(run, model, SELF, 0, 1, 7, 3) for model in (checkpoint.model, wrong)]
    assert [cell["turned"] for cell in cells] == [True, True]
    assert [off(cell) for cell in cells] == [[], ["query", "key"]]
    not_turned, _ = shipped(PAPER)
    assert not made_cell(not_turned, None, SELF, 0, 1, 7, 3)["turned"]
