import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import BY_HEART, SHIPPED, VARIANTS
from viz.subjects.masks.batch import make_batch
from viz.subjects.masks.effects import compare
from viz.subjects.masks.lab import Switches, run_lab

TEXTS = tuple(BY_HEART)
LONGEST = 0
"""The index of the sentence that is not padded."""


def from_alone(checkpoint, run) -> list[float]:
    """Return how far the logits of each sentence are from those of a run without padding."""
    found = []
    for sentence, length in enumerate(run.batch.lengths):
        source = run.batch.source[sentence, : run.batch.source_lengths[sentence]][None]
        alone = checkpoint.model(source, run.batch.target[sentence, :length][None]).logits[0]
        found.append((run.trace.logits[sentence, :length] - alone).abs().max().item())
    return found


@pytest.mark.parametrize(
    ("name", "reads_padding"), [(VARIANTS["addnorm"], False), (VARIANTS["tied"], True)]
)
@torch.inference_mode()
def test_padding_matters_only_where_it_is_read(name, reads_padding):
    checkpoint = load_checkpoint(SHIPPED / name)
    batch = make_batch(checkpoint, TEXTS)
    own = run_lab(checkpoint, batch, Switches.of(checkpoint.info.config))
    differences = from_alone(checkpoint, own)
    assert differences.pop(LONGEST) < 1e-4
    assert (min(differences) > 1e-2) if reads_padding else (max(differences) < 1e-4)


def test_what_changed_is_told_from_the_logits(checkpoint):
    batch = make_batch(checkpoint, TEXTS)
    own, blind = (run_lab(checkpoint, batch, Switches(causal=on)) for on in (True, False))
    name = batch.tokenizers.target.token
    for sentence, change in enumerate(compare(own, blind)):
        logits = [run.trace.logits[sentence].numpy().astype(np.float64) for run in (own, blind)]
        rows = range(batch.target_lengths[sentence])
        pairs = [tuple(name(int(each[row].argmax())) for each in logits) for row in rows]
        assert change.changed == tuple(pair for pair in pairs if pair[0] != pair[1])
        assert change.positions == len(rows)
        largest = max(np.abs(logits[1][row] - logits[0][row]).max() for row in rows)
        assert change.logit_difference == pytest.approx(largest)


def test_two_batches_are_not_compared(checkpoint):
    one, other = (make_batch(checkpoint, texts) for texts in (TEXTS, TEXTS[::-1]))
    with pytest.raises(ValueError, match="of the same batch"):
        compare(run_lab(checkpoint, one, Switches()), run_lab(checkpoint, other, Switches()))
