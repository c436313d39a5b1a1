import re
from dataclasses import replace

import pytest
import torch

from tests.checkpoints import BY_HEART
from texts import say, say_of
from viz.subjects.masks.batch import make_batch
from viz.subjects.masks.effects import compare
from viz.subjects.masks.lab import HIDES, Switches, run_lab, telling_cell
from viz.subjects.masks.words import answer, change_title, switch_results

OFF = Switches(encoder_padding=False, causal=False, target_padding=False, cross_padding=False)
GIVES = re.compile(r"“(?P<reader>.*?)” now puts (>\xa0)?(?P<share>[\d.]+)% .* on “(?P<read>.*?)”\.")


@pytest.fixture(scope="module")
def batch(checkpoint):
    return make_batch(checkpoint, tuple(BY_HEART))


@pytest.fixture(scope="module")
def own(checkpoint, batch):
    return run_lab(checkpoint, batch, Switches())


def results(own, now, sentence):
    return switch_results(own, now, compare(own, now), sentence)


@pytest.mark.parametrize("sentence", range(3))
@pytest.mark.parametrize("name", HIDES)
def test_says_beside_a_switch_which_word_reads_what_it_must_not(
    checkpoint, batch, own, name, sentence
):
    now = run_lab(checkpoint, batch, replace(Switches(), **{name: False}))
    said = results(own, now, sentence)[0]
    label = say_of("masks.switch", name)
    off = f"“{label}” is off. "
    assert said.startswith(off)
    found = GIVES.fullmatch(said.removeprefix(off))
    cell = telling_cell(own, now, sentence)
    if cell is None:
        assert found is None
        why = "padding_behind" if name == "target_padding" else "no_padding"
        is_longest = batch.target_lengths[sentence] == max(batch.target_lengths)
        assert said.endswith(say_of("masks.nothing", "no_padding" if is_longest else why))
        return
    rows, keys = batch.labels(cell.kind, sentence)
    assert [found["reader"], found["read"]] == [rows[cell.row], keys[cell.key]]
    weight = now.weights(*cell[:3], sentence)[cell.row, cell.key]
    assert float(found["share"]) == pytest.approx(100 * weight, abs=0.1)


def test_says_what_would_be_written_otherwise(checkpoint, batch, own):
    now = run_lab(checkpoint, batch, Switches(causal=False))
    best = [run.trace.logits[1].argmax(-1)[batch.written[1] != 0] for run in (own, now)]
    changed = int((best[0] != best[1]).sum())
    said = results(own, now, 1)[-1]
    assert said.startswith(f"The model would change {changed} of {batch.target_lengths[1]} words")
    assert results(own, own, 1) == ()


def test_the_answer_names_the_word_that_would_read_ahead(checkpoint, batch, own):
    now = run_lab(checkpoint, batch, Switches(causal=False))
    cell = telling_cell(own, now, 0)
    rows, keys = batch.labels(cell.kind, 0)
    assert f"“{rows[cell.row]}” would look at “{keys[cell.key]}”" in answer(own, now, cell)
    assert cell.key > cell.row
    opened = answer(now, own, telling_cell(now, own, 0))
    assert say("masks.answer_open") in opened
    assert "which comes later" in opened
    assert change_title(own, now) == say("masks.weights_without")
    assert change_title(now, own) == say("masks.weights_with")
    assert change_title(now, now) == say("masks.weights_change")


def test_says_of_a_mask_that_the_variant_lacks_that_it_is_on(checkpoint, batch):
    opened = run_lab(checkpoint, batch, OFF)
    now = run_lab(checkpoint, batch, replace(OFF, causal=True))
    label = say_of("masks.switch", "causal")
    assert results(opened, now, 1)[0] == say("masks.switched_on", label=label)


def test_says_that_nothing_can_be_computed_or_that_nothing_changed(own):
    logits = own.trace.logits.clone()
    same = compare(own, own)[1]
    assert (same.logit_difference, same.changed) == (0, ())
    logits[1, 0] = torch.nan
    broken = replace(own, trace=replace(own.trace, logits=logits), switches=Switches(causal=False))
    assert results(own, broken, 1)[-1] == say("masks.output_nan")
    same = replace(own, switches=Switches(causal=False))
    assert results(own, same, 1)[-1] == say("masks.output_same")
