"""The mask laboratory with a model of one text: what each mask hides, checked by hand."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.traces import present
from viz.subjects.masks import words
from viz.subjects.masks.batch import make_batch
from viz.subjects.masks.effects import compare
from viz.subjects.masks.lab import HIDES, LabRun, Switches, run_lab, telling_cell

TEXTS = ("the cat sees the dog", "a man")
CAUSAL = torch.ones(6, 6).tril().bool()
NAMES = ("tiny-gpt", "tiny-bert", "tiny-alibi")


def lab(folder: Path, name: str, **changes: bool) -> tuple[Checkpoint, LabRun]:
    checkpoint = load_checkpoint(folder / name)
    switches = replace(Switches.of(checkpoint.info.config), **changes)
    return checkpoint, run_lab(checkpoint, make_batch(checkpoint, TEXTS), switches)


def test_a_batch_of_prompts_is_padded_behind_and_predicts_what_follows(
    one_text_checkpoints: Path,
) -> None:
    checkpoint, run = lab(one_text_checkpoints, "tiny-gpt")
    batch = run.batch
    assert batch.target_tokens == (
        ("<s>", "the", "cat", "sees", "the", "dog"),
        ("<s>", "a", "man", "<pad>", "<pad>", "<pad>"),
    )
    assert batch.source is None
    assert torch.equal(batch.written[0, :-1], present(batch.target)[0, 1:])
    logits = present(checkpoint.model(None, present(batch.target)[:1]).logits)
    assert batch.written[0, -1] == logits[0, -1].argmax()
    rows, columns = batch.labels("decoder self-attention", 0)
    assert rows == columns == batch.target_tokens[0]


def test_an_encoder_alone_reads_both_ways_and_is_asked_for_its_own_tokens(
    one_text_checkpoints: Path,
) -> None:
    _, run = lab(one_text_checkpoints, "tiny-bert")
    assert run.batch.target is None
    assert torch.equal(run.batch.written, present(run.batch.source))
    assert run.masks["encoder self-attention"].combined[0].all()
    assert (
        run.masks["encoder self-attention"].combined[1].tolist() == [[True] * 3 + [False] * 3] * 6
    )
    assert list(run.switched_here()) == ["encoder_padding"]


def test_masks_of_a_decoder_alone_are_its_triangle_and_its_window(
    one_text_checkpoints: Path,
) -> None:
    _, run = lab(one_text_checkpoints, "tiny-gpt")
    assert torch.equal(run.masks["decoder self-attention"].combined[0], CAUSAL)
    _, windowed = lab(one_text_checkpoints, "tiny-alibi")
    band = CAUSAL & torch.ones(6, 6).triu(-3).bool()
    assert torch.equal(windowed.masks["decoder self-attention"].combined[0], band)
    _, opened = lab(one_text_checkpoints, "tiny-alibi", causal=False)
    expected = torch.ones(6, 6).triu(-3).bool()
    assert torch.equal(opened.masks["decoder self-attention"].causal[0], expected)
    assert list(opened.switched_here()) == ["causal", "target_padding"]


@pytest.mark.parametrize("name", NAMES)
def test_under_its_own_masks_padding_changes_nothing(one_text_checkpoints: Path, name: str) -> None:
    _, run = lab(one_text_checkpoints, name)
    for change in compare(run, run):
        assert change.logit_difference == 0


@pytest.mark.parametrize("name", NAMES)
def test_a_mask_that_is_switched_off_lets_weight_through(
    one_text_checkpoints: Path, name: str
) -> None:
    checkpoint, own = lab(one_text_checkpoints, name)
    switch = "causal" if checkpoint.info.config.has_decoder else "encoder_padding"
    kind = HIDES[switch][0]
    assert telling_cell(own, own) is None
    _, other = lab(one_text_checkpoints, name, **{switch: False})
    cell = telling_cell(own, other)
    assert cell is not None
    assert cell.kind == kind
    assert other.leaking_cells(*cell[:4])
    said = words.answer(own, other, cell)
    assert "would look at" in said
    assert ("the tokens before it, 4 in all" in said) == (name == "tiny-alibi")
