from dataclasses import replace

import numpy as np
import pytest
import torch

from model.presets import preset
from model.transformer import Transformer
from viz.subjects.variants.depth import compare_depth, gradient_lengths
from viz.subjects.variants.material import source_ids, target_ids
from viz.subjects.variants.words.depth import report_depth


def said(found):
    return report_depth(found).verdict


@pytest.fixture(scope="module")
def depth(material):
    return compare_depth(material)


def test_gradients_are_the_slope_of_the_loss():
    """Moved along its gradient, a layer's weights change the loss by the gradient's length."""
    torch.manual_seed(0)
    sizes = {"d_model": 64, "d_ff": 256, "n_heads": 4, "n_encoder_layers": 2, "n_decoder_layers": 2}
    config = preset("paper", source_vocab_size=100, target_vocab_size=100, **sizes)
    model = Transformer(config).eval()
    source, target, following = torch.randint(3, 100, (3, 8, 12)).unbind()

    def loss():
        logits = model.double()(source, target).logits.log_softmax(dim=-1)
        return -logits.gather(-1, following.unsqueeze(-1)).mean()

    weight = model.double().decoder.layers[1].feed_forward.expand.weight
    (gradient,) = torch.autograd.grad(loss(), weight)
    step = 1e-4 * gradient / gradient.norm()
    with torch.no_grad():
        weight += step
        up = loss()
        weight -= 2 * step
        slope = (up - loss()) / 2e-4
    assert gradient_lengths("post", 2)[1] == pytest.approx(slope.item(), rel=1e-3)


def test_measuring_leaves_the_random_numbers_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    gradient_lengths("pre", 1)
    assert torch.equal(torch.rand(3), expected)


def test_only_postnorm_has_uneven_gradients(depth):
    post, pre = said(depth).split("Gradients of a new decoder of 12 layers: ")[1].split(";")
    assert post.endswith("times the first's, uneven")
    assert "uneven" not in pre


def test_what_is_said_of_the_streams_holds_for_streams_computed_again(depth, material):
    grown, between = {}, {}
    for name, checkpoint in material.checkpoints.items():
        lengths = []
        for source, target in material.pairs[:8]:
            ids = source_ids(checkpoint, source), target_ids(checkpoint, target)[:, :-1]
            with torch.inference_mode():
                layers = checkpoint.model(*ids).decoder.layers
            stream = torch.cat([layers[0].input, *(layer.output for layer in layers)])
            lengths.append(np.sqrt((stream.double().numpy() ** 2).sum(axis=-1)))
        stream = np.concatenate(lengths, axis=1).mean(axis=1)
        grown[name] = stream[-1] / stream[0]
        between[name] = bool((np.diff(stream[1:]) > 0).all())
    told = said(depth)
    longer = {name for name, ratio in grown.items() if ratio > 1}
    assert longer == {"prenorm"}
    assert told.startswith("Only with pre-norm does the stream leave the decoder longer")
    for name, ratio in grown.items():
        assert f"{name} ({depth.placements[name]}-norm) × {ratio:.4g}"[:-1] in told
    assert all(between.values())
    assert "From the output of the first layer to that of the last it grows in all of them." in told


def test_it_is_told_in_which_models_the_stream_grows_from_layer_to_layer(depth):
    up, down = np.array([3.0, 1.0, 2.0]), np.array([3.0, 2.0, 1.0])
    streams = dict.fromkeys(depth.streams, down)
    assert "it grows in none of them" in said(replace(depth, streams=streams))
    streams |= {"paper": up, "prenorm": up}
    assert "it grows in paper and prenorm." in said(replace(depth, streams=streams))


def test_the_verdict_follows_the_numbers(depth):
    flat = np.ones(3)
    other = replace(
        depth, streams=dict.fromkeys(depth.streams, flat), gradients={"post": flat, "pre": flat}
    )
    assert said(other).startswith("From where it enters the decoder")
    assert "paper (post-norm) × 1.000," in said(other)
    assert "uneven" not in said(other)
