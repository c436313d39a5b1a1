"""Sentences of the Masks page made from a run's numbers."""

import math
from collections.abc import Sequence

from texts import say, say_of
from viz.pictures.numbers import percent_text
from viz.subjects.masks.effects import SentenceChange
from viz.subjects.masks.lab import (
    HIDES,
    LabRun,
    Switch,
    TellingCell,
    switched,
    telling_cell,
)


def change_title(shown: LabRun, after: LabRun) -> str:
    """Name the picture of what a switch changes: one that was switched, or one to try."""
    names = switched(shown.switches, after.switches)
    if not names:
        return say("masks.weights_change")
    is_off = not after.switches.named()[names[0]]
    return say("masks.weights_without" if is_off else "masks.weights_with")


def answer(own: LabRun, other: LabRun, cell: TellingCell | None) -> str:
    """Describe the purpose of the causal mask of a model, measured by switching it.

    Args:
        own: The run under the model's own masks.
        other: The same with the causal mask switched, or the padding mask if there is none.
        cell: The cell that shows it most.
    """
    found = cell and read_there(other, cell)
    if "decoder self-attention" not in own.kinds:
        is_open = not own.switches.encoder_padding
        said = say("masks.both_ways_open" if is_open else "masks.both_ways")
        return said if is_open or not found else f"{said} {say('masks.without_it', **found)}"
    if not own.switches.causal:
        found = cell and read_there(own, cell)
        said = say("masks.answer_open")
        return f"{said} {say('masks.reads_ahead', **found)}" if found else said
    window = own.model.config.window
    said = say("masks.reading_window", count=window) if window else say("masks.reading_back")
    return f"{said} {say('masks.without_it', **found)}" if found else said


def read_there(run: LabRun, cell: TellingCell) -> dict[str, str]:
    """Name the row and the key of a cell, and its weight, for a sentence on it."""
    kind, layer, head, sentence, row, key = cell
    rows, keys = run.batch.labels(kind, sentence)
    share = float(run.weights(kind, layer, head, sentence)[row, key])
    return {"reader": rows[row], "read": keys[key], "share": percent_text(share)}


def switch_results(
    baseline: LabRun, changed: LabRun, changes: Sequence[SentenceChange], sentence: int
) -> tuple[str, ...]:
    """Describe the effect of the switches on the sentence in view, in plain text."""
    before = baseline.switches.named()
    said = [
        _switch_result(baseline, changed, name, is_on, sentence)
        for name, is_on in changed.switched_here().items()
        if before[name] != is_on
    ]
    if said and changes:
        said.append(change_sentence(changes[sentence]))
    return tuple(said)


def _switch_result(
    baseline: LabRun, changed: LabRun, name: Switch, is_on: bool, sentence: int
) -> str:
    label = say_of("masks.switch", name)
    if is_on:
        return say("masks.switched_on", label=label)
    off = say("masks.switched_off", label=label)
    if cell := telling_cell(baseline, changed, sentence, [name]):
        return f"{off} {say('masks.gives', **read_there(changed, cell))}"
    kind, sort = HIDES[name]
    padding = ~changed.batch.real_keys(kind)
    why = "no_future" if sort == "future" else "padding_behind"
    if sort == "padding" and not padding[sentence].any():
        why = "no_padding"
    return f"{off} {say_of('masks.nothing', why)}"


def change_sentence(change: SentenceChange) -> str:
    """Describe how far the output for a sentence is from that under the variant's own masks."""
    if math.isnan(change.logit_difference):
        return say("masks.output_nan")
    if not change.changed:
        return say("masks.output_same")
    old, new = change.changed[0]
    count = {"changed": len(change.changed), "count": change.positions}
    return say("masks.output_changed", old=old, new=new, **count)
