"""Sentences of the page of masks that are made from a run's numbers."""

import math
from collections.abc import Collection, Sequence

from texts import say, say_of
from viz.pictures.numbers import number_text, percent_text
from viz.run.reading_ahead import say_imposed, say_taken_away
from viz.run.record import AttentionKind
from viz.subjects.masks.effects import SentenceChange
from viz.subjects.masks.lab import (
    HIDES,
    LabRun,
    Switch,
    fill_name,
    has_future,
    strongest_leak,
)
from viz.subjects.masks.leaks import Leak


def key_title(kind: AttentionKind, usual: str, language: str) -> str:
    """Title the keys: those of the decoder are the whole target, whatever the masks let it read.

    `language` is that of the target; empty in a model of one text.
    """
    if not has_future(kind):
        return usual
    return say("masks.keys_of", language=language) if language else say("masks.keys")


def switch_label(name: Switch, kinds: Collection[AttentionKind]) -> str:
    """Name a switch; where there is one kind of attention, without saying which."""
    if len(kinds) > 1:
        return say_of("masks.switch", name)
    return say_of("masks.switch_alone", name)


def masks_note(kinds: Collection[AttentionKind]) -> str:
    """Describe how the pictures of the masks are read."""
    if len(kinds) > 1:
        return say("masks.note")
    return say("masks.note_both" if any(map(has_future, kinds)) else "masks.note_padding")


def mask_title(kind: AttentionKind, part: str, window: int = 0) -> str:
    """Name the picture of one mask."""
    shown = "causal_window" if part == "causal" and window else part
    return say_of("masks.part", shown, kind=say_of("masks.kind_begun", kind), window=window)


def answer(own: LabRun, other: LabRun, losses: tuple[float, float], sentence: int) -> str:
    """Describe what the causal mask of a model is for, measured by switching it.

    Args:
        own: The run under the model's own masks.
        other: The same with the causal mask switched.
        losses: Of both, in nats per token, given the right tokens before each.
        sentence: The one in view.
    """
    if "decoder self-attention" not in own.kinds:
        return _answer_both_ways(own, other)
    is_alone = len(own.kinds) == 1
    if not own.switches.causal:
        begun = say("masks.answer_open_alone" if is_alone else "masks.answer_open")
        imposed = "" if any(map(math.isnan, losses)) else say_imposed(*losses)
        return f"{begun} {_leak_sentence(own, 'causal', sentence)} {imposed}".rstrip()
    said = _reading_back(own.model.config.window) if is_alone else say("masks.reading_back")
    found = strongest_leak(other, "causal", sentence)
    if found is None:
        return said
    kind, (layer, head, _) = found
    cells = len(other.leaking_cells(kind, layer, head, sentence))
    return f"{said} {say('masks.without_it', count=cells)}"


def _reading_back(window: int) -> str:
    if window == 1:
        return say("masks.reading_itself")
    if window:
        return say("masks.reading_window", count=window - 1)
    return say("masks.reading_back_alone")


def _answer_both_ways(own: LabRun, other: LabRun) -> str:
    """Describe what an encoder alone hides: padding, or nothing."""
    if not own.switches.encoder_padding:
        return say("masks.both_ways_open")
    found = strongest_leak(other, "encoder_padding")
    if found is None:
        return say("masks.both_ways_full")
    kind, (layer, head, sentence) = found
    return say("masks.both_ways", count=len(other.leaking_cells(kind, layer, head, sentence)))


def say_ahead(before: LabRun, now: LabRun, losses: tuple[float, float]) -> str:
    """Describe what a switched causal mask does to the loss; nothing where it was not switched."""
    if before.switches.causal == now.switches.causal or any(map(math.isnan, losses)):
        return ""
    return say_imposed(*losses) if now.switches.causal else say_taken_away(*losses)


def mean_losses(changes: Sequence[SentenceChange]) -> tuple[float, float]:
    """Return the mean loss of the batch's real tokens, before and after."""
    if not changes:
        return math.nan, math.nan
    counts = [len(change.positions) for change in changes]
    before, after = (
        sum(count * loss for count, loss in zip(counts, losses, strict=True)) / sum(counts)
        for losses in (
            [change.loss_before for change in changes],
            [change.loss_after for change in changes],
        )
    )
    return before, after


def switch_results(
    baseline: LabRun, changed: LabRun, changes: Sequence[SentenceChange], sentence: int
) -> tuple[str, ...]:
    """Describe what the switches do to the sentence in view: what each lets through and changes.

    Losses are those of the whole batch: what a model learned shows in more than one sentence.
    """
    before, now = baseline.switches, changed.switches
    said = [say("masks.unchanged")] if before == now else []
    leaks = leak_sentences(changed, sentence)
    for name, is_on in changed.switched_here().items():
        label = switch_label(name, changed.kinds)
        if not is_on:
            said.append(f"{say('masks.switched_off', label=label)} {leaks[name]}")
        elif not before.named()[name]:
            leak = _leak_sentence(changed, name, sentence)
            said.append(f"{say('masks.switched_on', label=label)} {leak}")
    if before.fill != now.fill:
        said.append(fill_sentence(changed, sentence))
    if before != now and changes:
        said.append(change_sentence(changes[sentence], sentence))
        said.append(say_ahead(baseline, changed, mean_losses(changes)))
    return tuple(filter(None, said))


def change_sentence(change: SentenceChange, sentence: int) -> str:
    """Describe how far the output for a sentence is from that under the variant's own masks."""
    if math.isnan(change.logit_difference):
        return say("masks.output_nan", sentence=sentence + 1)
    if change.logit_difference == 0:
        return say("masks.output_same", sentence=sentence + 1)
    return say(
        "masks.output_changed",
        sentence=sentence + 1,
        changed=change.changed_tokens,
        count=len(change.positions),
        difference=number_text(change.logit_difference),
    )


def leak_sentences(run: LabRun, sentence: int) -> dict[Switch, str]:
    """State for each switch that is off what it lets through in a sentence.

    Plain text, not escaped. Rows and sentences count from 1, layers and heads from 0.
    """
    switches = run.switched_here()
    return {n: _leak_sentence(run, n, sentence) for n, is_on in switches.items() if not is_on}


def fill_sentence(run: LabRun, sentence: int | None = None) -> str:
    """State if the filled value hides what the masks in force forbid, in one sentence or all."""
    fill = fill_name(run.switches.fill)
    if all(run.masks[kind].combined.all() for kind in run.kinds):
        return say("masks.fill_unused", fill=fill)
    if undefined := sum(int(run.leaks[kind].undefined_rows.sum()) for kind in run.kinds):
        return say("masks.fill_nan", fill=fill, count=undefined)
    found = strongest_leak(run, sentence=sentence) or strongest_leak(run)
    if found is None:
        return say("masks.fill_hides", fill=fill)
    kind, place = found
    return say("masks.given_hidden", **_given(run, kind, run.hidden(kind), place), fill=fill)


def _leak_sentence(run: LabRun, name: Switch, sentence: int) -> str:
    kind, sort = HIDES[name]
    leak = run.through(name, sentence)
    pad = run.batch.pad
    if leak.share.max() > 0:
        given = _given(run, kind, leak, leak.worst)
        if sort == "future":
            return say("masks.given_future", **given)
        return say("masks.given_padding", **given, pad=pad)
    if sort == "future":
        return say("masks.no_future")
    is_padding = ~run.batch.real_keys(kind)
    if not is_padding.any():
        return say("masks.same_lengths", pad=pad)
    if not is_padding[sentence].any():
        return _padding_elsewhere(run, kind, run.through(name), sentence)
    if run.switches.hides(kind, "future"):
        weight = number_text(float(leak.padding_rows.sum()))
        return say("masks.padding_behind", pad=pad, weight=weight)
    return say("masks.no_padding", pad=pad)


def _padding_elsewhere(run: LabRun, kind: AttentionKind, leak: Leak, sentence: int) -> str:
    """State that a sentence has no padding, being the longest, and what others do with it."""
    pad = run.batch.pad
    said = say("masks.longest", sentence=sentence + 1, pad=pad)
    if leak.share.max() == 0:
        return said
    return f"{said} {say('masks.given_padding', **_given(run, kind, leak, leak.worst), pad=pad)}"


def _given(
    run: LabRun, kind: AttentionKind, leak: Leak, place: tuple[int, int, int]
) -> dict[str, str | int]:
    """Name the row that gives weight to what it should not, and how much, for a sentence on it."""
    layer, head, sentence = place
    row = int(leak.row[place])
    return {
        "row": row + 1,
        "token": run.batch.labels(kind, sentence)[0][row],
        "sentence": sentence + 1,
        "share": percent_text(float(leak.share[place])),
        "kind": say_of("masks.in_kind", kind),
        "layer": layer,
        "head": head,
    }
