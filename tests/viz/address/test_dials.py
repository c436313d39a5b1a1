"""Every position of every dial, compared with float64 weights that are changed in another way."""

import copy
import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from model.attention import MultiHeadAttention
from model.checkpoints.checkpoint import load_checkpoint
from model.edits import NO_EDITS
from model.interventions.kinds import Intervention, edits_of
from model.transformer import Transformer
from tests.tiny import SOURCE, TARGET, tiny_config, tiny_model
from viz.address.changes import Change
from viz.address.dials import (
    Dial,
    Place,
    constants,
    sublayers,
    turned_together,
)

CONFIG = tiny_config()
LENGTHS = {"source": 3, "target": 5}
DIALS = {
    **constants(CONFIG, LENGTHS),
    **{dial.name: dial for dial in sublayers(CONFIG)},
}


def attentions(model: nn.Module) -> list[MultiHeadAttention]:
    return [module for module in model.modules() if isinstance(module, MultiHeadAttention)]


def scale_queries(model: Transformer, place: Place) -> None:
    by = float(place.label.rpartition("= ")[2])
    for attention in attentions(model):
        for parameter in attention.query.parameters():
            parameter.mul_(math.sqrt(CONFIG.d_k) / by)


def set_fill(model: Transformer, place: Place) -> None:
    fill = float(place.label.removeprefix("by ").replace("−", "-").replace("∞", "inf"))
    for layer in model.decoder.layers:
        layer.self_attn.mask_fill = fill


def scale_embeddings(model: Transformer, place: Place) -> None:
    by = float(place.label.rpartition("= ")[2])
    for embedding in (model.source_embedding, model.target_embedding):
        embedding.scale = by


def move_positions(embedding: nn.Module, length: int, place: Place) -> None:
    table = embedding.get_buffer("table")
    own = table.clone()
    if place.label == "none":
        table.zero_()
    elif place.label == "in reverse":
        table[:length] = own[:length].flip(0)
    elif place.label == "shuffled":
        generator = torch.Generator().manual_seed(0)
        table[:length] = own[torch.randperm(length, generator=generator)]


def cut_layers(stack: nn.Module, place: Place) -> None:
    stack.layers = stack.layers[: int(place.label)]


def silence(model: Transformer, path: str, place: Place) -> None:
    module = model.get_submodule(path)
    if place.label == "off":
        last = [m for m in module.modules() if isinstance(m, nn.Linear)][-1]
        for parameter in last.parameters():
            parameter.zero_()


CHANGES: dict[str, Callable[[Transformer, Place], None]] = {
    "divisor": scale_queries,
    "embedding_scale": scale_embeddings,
    "source_positions": lambda model, place: move_positions(model.source_embedding, 3, place),
    "target_positions": lambda model, place: move_positions(model.target_embedding, 5, place),
    "temperature": lambda _model, _place: None,
    "encoder_layers": lambda model, place: cut_layers(model.encoder, place),
    "decoder_layers": lambda model, place: cut_layers(model.decoder, place),
}


def in_float64(model: Transformer, dial: Dial, place: Place) -> Tensor:
    """Run a double-precision copy whose weights or settings are changed as this position says."""
    again = copy.deepcopy(model).double()
    mask = None
    if dial.name == "causal" and place.label == "not at all":
        mask = torch.ones(1, 5, 5, dtype=torch.bool)
    elif dial.name == "causal":
        set_fill(again, place)
    elif dial.name in CHANGES:
        CHANGES[dial.name](again, place)
    else:
        silence(again, dial.name, place)
    logits = again(SOURCE[:1], TARGET[:1], target_mask=mask, edits=NO_EDITS).logits
    return logits / float(place.label) if dial.name == "temperature" else logits


@pytest.mark.parametrize("dial", DIALS.values(), ids=list(DIALS))
@torch.no_grad()
def test_a_place_of_a_dial_does_what_it_says_and_is_found_by_it(dial: Dial):
    model = tiny_model()
    others = [one for other in DIALS.values() if other != dial for one in other.interventions()]
    assert sum(not place.interventions for place in dial.places) == 1
    for place in dial.places:
        edits = edits_of(place.interventions, model)
        found = model(SOURCE[:1], TARGET[:1], edits=edits).logits
        expected = in_float64(model, dial, place)
        assert_close(found.double(), expected, atol=1e-4, rtol=1e-4, msg=place.label)
        assert dial.place_of((*others, *place.interventions)) == place


@pytest.mark.parametrize("dial", DIALS.values(), ids=lambda dial: dial.name)
def test_one_turn_of_a_dial_is_one_change_to_look_at(dial: Dial):
    other = Change(Intervention("zero", "encoder.output"))
    for place in dial.places:
        if place.interventions:
            turned = [*map(Change, place.interventions), other]
            assert turned_together(turned) == [
                tuple(range(len(place.interventions))),
                (len(place.interventions),),
            ]


def test_a_model_without_positions_or_causal_mask_has_no_dial_for_them():
    names = constants(tiny_config(positions="none", causal_mask=False), LENGTHS)
    assert not {"causal", "source_positions", "target_positions"} & set(names)


@pytest.mark.parametrize("name", ["tiny-gpt", "tiny-bert", "tiny-alibi"])
def test_a_model_of_one_text_has_the_dials_that_it_can_turn(name, one_text_checkpoints):
    checkpoint = load_checkpoint(one_text_checkpoints / name)
    lengths = dict.fromkeys(checkpoint.anatomy.sides, 5)
    dials = [*constants(checkpoint.info.config, lengths).values()]
    dials += sublayers(checkpoint.info.config)
    ids = torch.tensor([[4, 5, 6, 4, 7]])
    texts = (ids, None) if "source" in lengths else (None, ids)
    with torch.inference_mode():
        own = checkpoint.model(*texts).logits
        for place in (place for dial in dials for place in dial.places if place.interventions):
            edits = edits_of(place.interventions, checkpoint.model)
            assert not torch.equal(checkpoint.model(*texts, edits=edits).logits, own), place
