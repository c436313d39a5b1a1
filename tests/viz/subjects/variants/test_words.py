import re

import numpy as np
import pytest
import torch
from torch import nn

from model.checkpoints.checkpoint import load_checkpoint
from model.presets import preset
from model.transformer import Transformer
from tests.checkpoints import SHIPPED, VARIANTS
from viz.pictures.numbers import percent_text
from viz.run.making import make_run
from viz.subjects.variants import words
from viz.subjects.variants.cache import gradient_lengths
from viz.subjects.variants.reading_ahead import reading_ahead
from viz.subjects.variants.report import written_list

WRITTEN = {"paper": "le chat dort.", "tied": "le chat dort.", "headlist": ""}


def test_the_answer_counts_those_that_agree_and_names_the_others():
    assert words.answer(WRITTEN) == (
        "1 of 2 reimplementations of the paper write the same here. "
        "Without a causal mask, the model writes nothing at all."
    )
    assert "With the norm first (pre-norm): “un chat.”" in words.answer(
        WRITTEN | {"prenorm": "un chat."}
    )
    assert words.answer(dict.fromkeys(("paper", "tied", "addnorm"), "le")).startswith(
        "2 reimplementations"
    )


def test_only_the_words_that_the_paper_does_not_write_are_marked():
    written = {"paper": "le chat <b>dort.", "tied": "le chien <b>dort."}
    shown = written_list(written, {"paper": {}, "tied": {}})
    assert "variants-right" not in shown
    assert "le <del>chat</del> <ins>chien</ins> &lt;b&gt;dort." in shown


def test_each_line_ends_with_how_often_the_variant_is_right():
    scores = {"sentences": 1000, "exact_match": 0.975}
    both = {"paper": scores, "headlist": scores | {"exact_match": 0.0}}
    shown = written_list({"paper": "le chat.", "headlist": ""}, both)
    assert "right, of 1,000 unseen sentences" in shown
    assert re.findall(r'variants-right">.*?</span>([^<]+)</dd>', shown) == [
        percent_text(0.975),
        percent_text(0),
    ]
    other = {**both, "headlist": scores | {"sentences": 50}}
    assert "variants-right" not in written_list({"paper": "le", "headlist": ""}, other)


def test_the_head_that_reads_ahead_is_that_of_the_largest_mean_beside_the_diagonal():
    checkpoint = load_checkpoint(SHIPPED / VARIANTS["headlist"])
    run = make_run(checkpoint, "the cat sleeps .", "le chat dort .")
    found = reading_ahead(run)
    means = {
        (layer, head): np.mean([weights[head, row, row + 1] for row in range(weights.size(1) - 1)])
        for layer, weights in enumerate(
            layer.self_attn.weights[0] for layer in run.trace.decoder.layers
        )
        for head in range(4)
    }
    assert (found.layer, found.head) == max(means, key=means.get)
    assert found.share == pytest.approx(means[found.layer, found.head])
    assert found.share > 0.5
    assert words.ahead(found, run).endswith("this model gets 0% of the test sentences right.")


def test_gradients_are_those_of_the_whole_models_parameters():
    """Compare with gradients of the layers' parameters of a model that is built here."""
    found = gradient_lengths("pre", 3)
    config = preset(
        "paper",
        source_vocab_size=100,
        target_vocab_size=100,
        d_model=64,
        d_ff=256,
        n_heads=4,
        n_encoder_layers=3,
        n_decoder_layers=3,
        norm_placement="pre",
        final_norm=True,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = Transformer(config).eval()
        source, target, following = torch.randint(3, 100, (3, 8, 12)).unbind()
    loss = nn.CrossEntropyLoss()(model(source, target).logits.transpose(1, 2), following)
    weights = [layer.feed_forward.expand.weight for layer in model.decoder.layers]
    expected = [gradient.norm().item() for gradient in torch.autograd.grad(loss, weights)]
    assert found == pytest.approx(expected, rel=1e-4)


def test_only_the_norm_first_leaves_the_gradients_of_a_deep_model_even():
    post, pre = (gradient_lengths(placement, 12) for placement in ("post", "pre"))
    assert post.max() / post.min() > 10 > pre.max() / pre.min()
    said = words.depth({"post": post, "pre": pre})
    assert f"{post[-1] / post[0]:.1f} times the gradient of the first with the norm last" in said
