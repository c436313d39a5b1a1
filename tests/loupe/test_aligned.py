"""The effects over a list of aligned texts are the mean of the effects on each text."""

from typing import Any

import pytest
import torch

import loupe
from tests.checkpoints import load_shipped
from tests.loupe.test_foreign import ids_of, sharp
from tests.model.foreign.huggingface.families import DECODERS

CLEAN = ("the cat sat on", "a dog was it", "mat sat the cat")
CORRUPT = ("the dog sat on", "a cat was it", "mat sat a cat")


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"of": "heads"}, {"of": "weights", "how": "gradient"}])
def test_a_list_of_pairs_gives_the_mean_of_all_pairs(options: dict) -> None:
    model = sharp(DECODERS["Qwen3"]).double().eval()
    clean, corrupt = ([ids_of(text) for text in texts] for texts in (CLEAN, CORRUPT))
    metrics = [(3, 4), (5, 9), lambda logits: logits[1, 3]]
    for metric in ((3, 4), metrics):
        found = loupe.patch(model, clean, corrupt, metric, **options)
        metric_of_each = metric if isinstance(metric, list) else [metric] * 3
        each = [
            loupe.patch(model, ours, theirs, one, **options)
            for ours, theirs, one in zip(clean, corrupt, metric_of_each, strict=True)
        ]
        by_hand = torch.stack([one.values for one in each]).sum(dim=0) / 3
        assert torch.allclose(found.values, by_hand, rtol=1e-12, atol=1e-12)
        assert found.before == pytest.approx(sum(one.before for one in each) / 3)
        assert found.goal == pytest.approx(sum(one.goal or 0 for one in each) / 3)
        assert found.axes == each[0].axes
    assert found.labels[1] == ("0", "1", "2", "3")


def test_a_list_of_texts_is_cut_and_gives_the_mean() -> None:
    model = load_shipped("digits-paper")
    texts = ["3 1 4", "2 7 1 8"]
    found = loupe.ablate(model, texts, "1", how="mean", dataset=texts)
    each = [loupe.ablate(model, text, "1", how="mean", dataset=texts) for text in texts]
    by_hand = (each[0].values + each[1].values) / 2
    assert torch.allclose(found.values, by_hand, equal_nan=True)
    assert torch.equal(
        loupe.ablate(model, texts, "1", how="mean").values.nan_to_num(), found.values.nan_to_num()
    )


def test_a_translator_is_patched_by_lists_with_a_target_each() -> None:
    model = load_shipped("digits-paper")
    clean, corrupt, aims = ["3 1 4", "2 7 1"], ["3 2 4", "2 7 9"], ["3", "2 7"]
    found = loupe.patch(model, clean, corrupt, "1", target=aims, of="heads")
    each = [
        loupe.patch(model, ours, theirs, "1", target=aim, of="heads").values
        for ours, theirs, aim in zip(clean, corrupt, aims, strict=True)
    ]
    assert torch.allclose(found.values, (each[0] + each[1]) / 2)


def test_labels_stay_where_all_texts_have_the_same_token() -> None:
    model = load_shipped("digits-paper")
    found = loupe.patch(model, ["3 1 4", "3 2 4"], ["3 5 4", "3 6 4"], "1")
    assert found.labels[1] == ("3", "1", "4", "</s>")


def test_lists_that_are_not_aligned_are_said() -> None:
    model = load_shipped("digits-paper")
    with pytest.raises(ValueError, match="the same number of texts, at least one, got 2 and 1"):
        loupe.patch(model, ["3 1", "3 2"], ["3 4"], "1")
    with pytest.raises(ValueError, match="at least one, got 0 and 0"):
        loupe.patch(model, [], [], "1")
    with pytest.raises(TypeError, match="corrupt must be a list of texts"):
        loupe.patch(model, ["3 1", "3 2"], "3 4", "1")
    with pytest.raises(ValueError, match=r"the same number of tokens, got "):
        loupe.patch(model, ["3 1", "3 2 4"], ["3 4", "3 2 5"], "1")
    assert loupe.patch(model, ["3 1", "3 2 4"], ["3 4", "3 2 5"], "1", of="heads").values.dim() == 2
    several: Any = ["3 1", "3 2"]
    with pytest.raises(ValueError, match="path_patch takes one pair of texts, got 2"):
        loupe.path_patch(model, several, several, "1")
