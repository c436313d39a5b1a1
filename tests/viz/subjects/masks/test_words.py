import math
import re
from dataclasses import replace

import pytest
import torch

from tests.checkpoints import BY_HEART
from texts import say_of
from viz.subjects.masks.batch import make_batch
from viz.subjects.masks.effects import compare
from viz.subjects.masks.lab import HIDES, Switches, run_lab
from viz.subjects.masks.words import (
    fill_sentence,
    leak_sentences,
    switch_results,
)

OFF = Switches(encoder_padding=False, causal=False, target_padding=False, cross_padding=False)
GIVEN = re.compile(
    r"Row (?P<row>\d+) \((?P<token>.*?)\) of sentence (?P<sentence>\d+) gives (?:over )?"
    r"(?P<share>[\d.]+) % of its weight in (?P<kind>.*), layer (?P<layer>\d+), "
    r"head (?P<head>\d+), to (?P<what>.*)\."
)


@pytest.fixture(scope="module")
def batch(checkpoint):
    return make_batch(checkpoint, tuple(BY_HEART))


def test_masks_that_are_on_need_no_words(checkpoint, batch):
    run = run_lab(checkpoint, batch, Switches())
    assert leak_sentences(run, 0) == {}
    alone = run_lab(checkpoint, batch.alone(1), Switches(encoder_padding=False))
    assert leak_sentences(alone, 0).keys() == {"encoder_padding"}  # there is none to read


def padded(batch, name, sentence):
    """Whether a sentence has what a switch hides: the longest of a batch has no padding."""
    kind, sort = HIDES[name]
    return sort == "future" or bool((batch.keys(kind)[sentence] == 0).any())


@pytest.mark.parametrize("chosen", range(3))
@pytest.mark.parametrize("name", HIDES)
def test_names_the_row_that_leaks_most_in_the_sentence_in_view(checkpoint, batch, name, chosen):
    run = run_lab(checkpoint, batch, OFF)
    said = leak_sentences(run, chosen)[name]
    kind, sort = HIDES[name]
    if not padded(batch, name, chosen):
        none = f"Sentence {chosen + 1} is as long as any here, so it has no <pad> to read. "
        assert said.startswith(none)
        other = int(GIVEN.fullmatch(said.removeprefix(none))["sentence"]) - 1
        assert padded(batch, name, other)
        return
    words = GIVEN.fullmatch(said)
    what = "later tokens" if sort == "future" else "<pad>"
    assert (words["kind"], words["what"]) == (kind, what)
    leak = run.through(name)  # its numbers are those of loops, in test_lab
    shares = leak.share[..., chosen]
    layer, head = divmod(int(shares.argmax()), shares.shape[1])
    row = int(leak.row[layer, head, chosen])
    named = [int(words[part]) for part in ("layer", "head", "sentence", "row")]
    assert named == [layer, head, chosen + 1, row + 1]
    assert float(words["share"]) == pytest.approx(100 * shares.max(), abs=0.1)
    assert words["token"] == batch.labels(kind, chosen)[0][row]


def test_says_why_target_padding_is_hidden_all_the_same(checkpoint, batch):
    run = run_lab(checkpoint, batch, Switches(target_padding=False))
    shortest = min(range(3), key=batch.target_lengths.__getitem__)
    words = leak_sentences(run, shortest)["target_padding"]
    assert words.startswith("No row of a token reads <pad>: ")
    rows = run.leaks["decoder self-attention"].padding.padding_rows[..., shortest].sum()
    assert words.endswith(f"Rows of <pad> give it {rows:.4g} in all.")
    assert rows > 1


def test_says_what_a_fill_does(checkpoint, batch):
    zero = fill_sentence(run_lab(checkpoint, batch, Switches(fill=0.0)))
    assert GIVEN.fullmatch(zero.partition(": ")[0] + ".")["what"] == "keys that the mask hides"
    assert zero.endswith(": 0 is not low enough.")
    empty = replace(batch, source=torch.zeros_like(batch.source))
    rows = 2 * 4 * (batch.source.numel() + batch.target.numel() + batch.target.numel())
    run = run_lab(checkpoint, empty, Switches())
    nan = sum(int(leaks.undefined_rows.sum()) for leaks in run.leaks.values())
    assert fill_sentence(run) == f"With −∞, {nan} rows of weights in all heads are NaN."
    assert nan == rows - 4 * batch.target.numel()  # decoder self-attention of layer 0 is sound


SENTENCE = 1


def results(checkpoint, batch, before, now):
    """What is said of a sentence in two runs, and how the second one's output for it differs."""
    runs = run_lab(checkpoint, batch, before), run_lab(checkpoint, batch, now)
    real = batch.written[SENTENCE] != 0
    difference = (runs[1].trace.logits - runs[0].trace.logits)[SENTENCE][real]
    best = [run.trace.logits[SENTENCE].argmax(dim=-1)[real] for run in runs]
    said = switch_results(*runs, compare(*runs), SENTENCE)
    return said, difference, (best[0] != best[1]).sum().item()


def test_says_beside_a_switch_what_it_lets_through_and_changes(checkpoint, batch):
    said, difference, changed = results(checkpoint, batch, Switches(), Switches(causal=False))
    leak, output, alone = said
    losses = re.search(r"from ([\d.]+) to ([\d.]+) nats per token", alone)
    assert losses
    assert float(losses[2]) > 2 * float(losses[1])  # it learned with the mask
    assert leak.startswith(f"“{say_of('masks.switch', 'causal')}” is off. Row ")
    numbers = re.fullmatch(
        r"In the output for sentence 2, the most probable token changes at (\d+) of (\d+) "
        r"positions, and a logit by up to ([\d.]+)\.",
        output,
    )
    assert numbers
    assert [int(numbers[1]), int(numbers[2])] == [changed, batch.target_lengths[SENTENCE]]
    assert float(numbers[3]) == pytest.approx(difference.abs().max().item(), rel=1e-3)


def test_says_what_a_mask_does_that_the_variant_lacks(checkpoint, batch):
    said, _, changed = results(checkpoint, batch, OFF, replace(OFF, causal=True))
    label = say_of("masks.switch", "causal")
    assert f"“{label}” is on. No weight goes to later tokens in this sentence." in said
    assert any(f"changes at {changed} of " in sentence for sentence in said)
    assert sum("” is off. " in sentence for sentence in said) == 3


def test_says_that_nothing_was_switched_and_that_nothing_changed(checkpoint, batch):
    assert len(results(checkpoint, batch, Switches(), Switches())[0]) == 1
    said, difference, _ = results(checkpoint, batch, Switches(), Switches(fill=-1e9))
    assert not difference.any()
    assert said[-1] == "The output for sentence 2 stays exactly the same."


def test_says_that_logits_are_nan(checkpoint, batch):
    empty = replace(batch, source=torch.zeros_like(batch.source))
    run, other = (run_lab(checkpoint, empty, Switches(fill=f)) for f in (-1e9, -math.inf))
    said = switch_results(run, other, compare(run, other), SENTENCE)
    assert said[-1] == "In the output for sentence 2, logits are NaN."
