import torch

from model.masks import causal_mask, length_mask, open_mask, padding_mask


def test_padding_mask_hides_padding_from_every_query():
    mask = padding_mask(torch.tensor([[7, 8, 0], [0, 7, 8]]), pad_id=0)
    assert mask.int().tolist() == [[[1, 1, 0]], [[0, 1, 1]]]


def test_causal_mask_shows_a_query_itself_and_what_came_before():
    assert causal_mask(3).int().tolist() == [[[1, 0, 0], [1, 1, 0], [1, 1, 1]]]


def test_causal_mask_shows_all_of_the_past():
    assert causal_mask(2, past=3).int().tolist() == [[[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]]


def test_open_mask_hides_nothing():
    assert open_mask(3).int().tolist() == [[[1, 1, 1]]]


def test_length_mask_hides_what_follows_each_text():
    assert length_mask([3, 1]).tolist() == [[[True, True, True]], [[True, False, False]]]
