"""Patching: where the difference between two sentences is carried, where that is known."""

import functools

import pytest
import torch

from model.attribution.patching import (
    Cell,
    Contest,
    PatchingError,
    cells,
    contest,
    partners,
    patch,
    patch_edits,
    stages,
)
from tests.checkpoints import load_shipped
from tests.tiny import tiny_model

SENTENCE = "the animal did not cross the street because it was too {} ."
IT, ADJECTIVE = 8, 11
CLEAN, CORRUPT = (3, 4, 5, 2), (3, 6, 5, 2)


@functools.cache
def famous(name: str):
    checkpoint = load_shipped(name)
    encode = checkpoint.info.tokenizers.encode_source
    ids = [encode(SENTENCE.format(word)).ids for word in ("tired", "wide")]
    return patch(checkpoint.model, contest(checkpoint.model, *ids))


@functools.cache
def tiny():
    model = tiny_model()
    which = Contest(CLEAN, CORRUPT, (1, 5, 6), 7, 8, (0, 1, 2, 3))
    sizes = len(CORRUPT), len(which.prefix)
    return model, which, patch(model, which, cells(model.config, *sizes))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "clean", "corrupt"),
    [
        ("english-french-paper-0", 6.77, -6.84),
        ("english-french-paper-3", 7.20, -6.06),
        ("english-french-prenorm", 6.49, -6.81),
    ],
)
def test_the_famous_pair_is_told_apart(name, clean, corrupt):
    found = famous(name)
    assert found.clean_difference == pytest.approx(clean, abs=0.05)
    assert found.corrupt_difference == pytest.approx(corrupt, abs=0.05)


@pytest.mark.parametrize(
    ("name", "stage", "place"),
    [
        ("english-french-paper-0", "source_embedding.output", ADJECTIVE),
        ("english-french-paper-0", "encoder.layers.0.output", IT),
        ("english-french-paper-3", "encoder.layers.0.output", ADJECTIVE),
        ("english-french-paper-3", "encoder.layers.1.output", ADJECTIVE),
        ("english-french-prenorm", "encoder.layers.1.output", ADJECTIVE),
        ("english-french-prenorm", "decoder.layers.0.after_cross_attn", -1),
    ],
)
def test_the_difference_is_in_one_state_of_a_stage(name, stage, place):
    found = {
        cell.position: share
        for cell, share in famous(name).shares.items()
        if (cell.what, cell.name) == ("state", stage)
    }
    shares = [found[position] for position in sorted(found)]
    assert shares.pop(place) == pytest.approx(1.0, abs=0.02)
    assert max(map(abs, shares)) < 0.02


@pytest.mark.parametrize(
    ("name", "attention", "head", "place", "z", "row"),
    [
        ("english-french-paper-0", "encoder.layers.0.self_attn", 3, IT, 0.99, 0.0),
        ("english-french-paper-3", "encoder.layers.1.self_attn", 1, ADJECTIVE, 1.0, 1.0),
        ("english-french-paper-3", "decoder.layers.1.cross_attn", 3, None, 1.0, 0.01),
        ("english-french-prenorm", "decoder.layers.1.self_attn", 1, None, 1.06, 1.06),
    ],
)
def test_what_a_head_finds_and_where_it_looks_come_apart(name, attention, head, place, z, row):
    found = famous(name)
    assert found.at("z", f"{attention}.heads", head, place) == pytest.approx(z, abs=0.05)
    assert found.at("row", f"{attention}.weights", head, place) == pytest.approx(row, abs=0.05)


def test_a_cell_is_what_a_run_with_its_numbers_gives():
    """By hand: the tensor is put into place before the rest is run."""
    model, which, found = tiny()
    source, prefix = torch.tensor([which.corrupt]), torch.tensor([which.prefix])
    clean = model(torch.tensor([which.clean]), prefix)
    memory = model(source, prefix).encoder.output.clone()
    memory[0, 1] = clean.encoder.output[0, 1]
    _, decoder = model.decode(prefix, memory, source_mask=model.source_mask(source))
    last = model.generate(decoder.output)[0][0, -1]
    before, after = found.corrupt_difference, (last[7] - last[8]).item()
    share = (after - before) / (found.clean_difference - before)
    assert found.at("state", "encoder.layers.1.output", None, 1) == pytest.approx(share, abs=1e-4)


@pytest.mark.slow
def test_cells_at_once_are_what_each_is_alone():
    model, which, found = tiny()
    for cell in found.cells[::19]:
        alone = patch(model, which, [cell]).restored.item()
        assert alone == pytest.approx(found.shares[cell], abs=1e-5)


@pytest.mark.slow
def test_all_of_a_stage_brings_back_everything():
    model, which, _ = tiny()
    for stage in stages(model.config):
        whole = patch(model, which, [Cell("state", stage, None, None)]).restored.item()
        before_the_source = stage in ("target_embedding.output", "decoder.layers.0.after_self_attn")
        in_encoder = stage.startswith(("source", "encoder"))
        if in_encoder or stage == "decoder.layers.2.output":
            assert whole == pytest.approx(1, abs=1e-5)
        assert (abs(whole) < 1e-5) == before_the_source


def test_positions_are_paired_by_what_stands_there():
    assert partners((3, 4, 5, 2), (3, 6, 5, 2)) == (0, 1, 2, 3)
    assert partners((3, 4, 5, 2), (3, 9, 4, 5, 2)) == (0, None, 1, 2, 3)
    assert partners((3, 4, 5, 2), (3, 2)) == (0, 3)
    assert partners((3, 4, 5, 2), (3, 7, 8, 9, 2)) == (0, 1, 2, None, 4 - 1)


def test_a_position_without_a_partner_is_not_patched():
    model = tiny_model()
    longer = (3, 4, 5, 6, 2)
    which = Contest(CLEAN, longer, (1, 5, 6), 0, 6, partners(CLEAN, longer))
    found = patch(model, which)
    for cell, share in found.shares.items():
        assert (share != share) == (cell.is_source and cell.position == 3)


@pytest.mark.parametrize(
    ("corrupt", "theirs", "ours"),
    [((3, 9, 4, 5, 2), [0, 1, 2, 3], [0, 2, 3, 4]), ((3, 5, 2), [0, 2, 3], [0, 1, 2])],
    ids=["longer", "shorter"],
)
def test_a_row_of_another_length_is_what_its_partners_have_divided_by_their_sum(
    corrupt, theirs, ours
):
    model, prefix = tiny_model(), torch.tensor([(1, 5, 6)])
    clean = model(torch.tensor([CLEAN]), prefix)
    cell = Cell("row", "decoder.layers.0.cross_attn.weights", 1, None)
    edits = patch_edits([cell], clean, partners(CLEAN, corrupt))
    patched = model(torch.tensor([corrupt]), prefix, edits=edits).decoder.layers[0].cross_attn
    kept = clean.decoder.layers[0].cross_attn.weights[0, 1][:, theirs]
    expected = torch.zeros(3, len(corrupt))
    expected[:, ours] = kept / kept.sum(dim=-1, keepdim=True)
    torch.testing.assert_close(patched.weights[0, 1], expected)


@pytest.mark.slow
def test_sentences_that_cannot_be_followed_are_refused():
    model = tiny_model()
    with pytest.raises(PatchingError, match="writes the same"):
        contest(model, CLEAN, CLEAN)
    with pytest.raises(PatchingError, match="hardly tells"):
        patch(model, Contest(CLEAN, CLEAN, (1,), 7, 8, (0, 1, 2, 3)))
