"""Against captum, and against the model's forward on each changed source by itself."""

import captum.attr
import torch
from torch.testing import assert_close

from model.edits import Edits
from model.occlusion import deleted, hidden, swapped, unknown, zeroed
from model.passes import TOKENS, Pass
from tests.model.by_hand import IDS, WRITTEN, asked, double, log_probabilities, traced
from tests.tiny import tiny_model


def drops(model, changed, **masks) -> torch.Tensor:
    whole = log_probabilities(model, torch.tensor(IDS))
    return whole - log_probabilities(model, torch.tensor(changed), **masks)


def without(place: int, *instead: int) -> list[int]:
    return [*IDS[:place], *instead, *IDS[place + 1 :]]


def test_zeros_in_place_of_an_embedding_are_captums_occlusion(variant: str):
    model, row = double(variant), 2

    def forward(tokens):
        sources = torch.tensor([IDS]).expand(len(tokens), -1)
        targets = torch.tensor([WRITTEN[:-1]]).expand(len(tokens), -1)
        trace = model(sources, targets, edits=Edits({TOKENS: lambda _: tokens}))
        return trace.logits[:, row].log_softmax(-1)[:, WRITTEN[row + 1]]

    tokens = traced(model).source_embedding.tokens
    window = (1, tokens.size(-1))
    with torch.inference_mode():
        theirs = captum.attr.Occlusion(forward).attribute(tokens, window, baselines=0)
    # captum counts in single precision.
    assert_close(zeroed(asked(model, row))[0].float(), theirs[0, :, 0])


def test_an_unknown_word_is_put_in_place(variant: str):
    model = double(variant)
    found = unknown(asked(model))
    for place in range(len(IDS)):
        assert_close(found[:, place], drops(model, without(place, 3)))


def test_a_deleted_token_lets_the_others_move_up(variant: str):
    model = double(variant)
    found = deleted(asked(model))
    for place in range(len(IDS)):
        assert_close(found[:, place], drops(model, without(place)))


def test_a_hidden_token_is_masked_from_every_row():
    model = double()
    found = hidden(asked(model))
    for place in range(len(IDS)):
        mask = torch.arange(len(IDS))[None, None] != place
        assert_close(found[:, place], drops(model, IDS, source_mask=mask))


def test_what_is_hidden_does_not_matter_in_any_variant(variant: str):
    """Hidden tokens are as good as others in their place."""
    model = double(variant)
    others = Pass.of(model, without(1, 9), WRITTEN)
    whole = log_probabilities(model, torch.tensor(IDS))
    of_others = log_probabilities(model, torch.tensor(without(1, 9)))
    assert_close(whole - hidden(asked(model))[:, 1], of_others - hidden(others)[:, 1])


def test_a_swap_costs_the_mean_of_what_each_costs():
    model = double()
    found = swapped(asked(model), [(), (7, 9, 10), (8,), ()])
    means = torch.stack([drops(model, without(1, id)) for id in (7, 9, 10)]).mean(0)
    assert_close(found[:, 1], means)
    assert_close(found[:, 2], drops(model, without(2, 8)))
    assert found[:, [0, 3]].isnan().all()
    assert swapped(asked(model), [()] * len(IDS)).isnan().all()


def test_one_token_alone():
    model = tiny_model().double()
    one = Pass.of(model, (4,), WRITTEN)
    assert deleted(one).isnan().all()
    assert zeroed(one).shape == hidden(one).shape == unknown(one).shape == (4, 1)


def test_many_places_are_run_a_few_at_a_time(monkeypatch):
    found = [f(asked(double())) for f in (zeroed, hidden, unknown, deleted)]
    monkeypatch.setattr("model.passes._MOST_CELLS", 3 * (len(IDS) + len(WRITTEN)) ** 2)
    assert asked(double()).most_at_once == 3
    for before, function in zip(found, (zeroed, hidden, unknown, deleted), strict=True):
        assert_close(function(asked(double())), before)
