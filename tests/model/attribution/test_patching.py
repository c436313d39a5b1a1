"""Patching finds where the difference between two sentences is carried, in known cases."""

import functools

import pytest
import torch

from model.attribution.patched_cells import Cell, cells, patch_edits, stages
from model.attribution.patching import Contest, PatchingError, contest, patch, patch_mean
from model.text.partners import partners
from tests.checkpoints import load_shipped
from tests.tiny import tiny_model

SENTENCE = "the animal did not cross the street because it was too {} ."
CLEAN, CORRUPT = (3, 4, 5, 2), (3, 6, 5, 2)


@functools.cache
def tiny():
    model = tiny_model()
    which = Contest(CLEAN, CORRUPT, (1, 5, 6), 7, 8, (0, 1, 2, 3))
    sizes = len(CORRUPT), len(which.prefix)
    return model, which, patch(model, which, cells(model.config, *sizes))


@pytest.mark.slow
def test_the_famous_pair_is_told_apart_by_what_each_run_gives():
    checkpoint = load_shipped("everyday-paper-0")
    model, encode = checkpoint.model, checkpoint.info.tokenizers.encode_source
    ids = [encode(SENTENCE.format(word)).ids for word in ("tired", "wide")]
    which = contest(model, *ids)
    found = patch(model, which, [Cell("state", "encoder.layers.1.output", None, None)])
    assert checkpoint.info.tokenizers.target.decode([which.answer, which.other]) == "il elle"
    with torch.inference_mode():
        last = [
            model(torch.tensor([each]), torch.tensor([which.prefix])).logits[0, -1] for each in ids
        ]
    leads = [(logits[which.answer] - logits[which.other]).item() for logits in last]
    assert [found.clean_difference, found.corrupt_difference] == pytest.approx(leads, abs=1e-4)
    assert leads[0] > 1 > -1 > leads[1]


def test_a_cell_is_what_a_run_with_its_numbers_gives():
    """The reference replaces the tensor and runs the rest of the model."""
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


def test_a_mean_leaves_out_a_position_that_lacks_a_partner_in_one_of_its_pairs():
    model = tiny_model()
    shorter = (3, 5, 2)
    contests = [
        Contest(clean, CORRUPT, (1, 5, 6), 7, 8, partners(clean, CORRUPT))
        for clean in (CLEAN, shorter)
    ]
    model.generator.weight.data *= 20
    assert [each.partners for each in contests] == [(0, 1, 2, 3), (0, None, 1, 2)]
    found = patch_mean(model, contests, cells(model.config, 4, 3))
    for cell, share in found.shares.items():
        assert (share != share) == (cell.is_source and cell.position == 1)


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
    with pytest.raises(PatchingError, match="barely distinguishes"):
        patch(model, Contest(CLEAN, CLEAN, (1,), 7, 8, (0, 1, 2, 3)))
