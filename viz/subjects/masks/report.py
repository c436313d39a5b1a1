"""What the mask laboratory found, as tables of HTML."""

import math
from collections.abc import Sequence

from jaxtyping import Int
from markupsafe import Markup
from torch import Tensor

from model.text.words import Words
from texts import say, say_of
from viz.pictures.html_table import Cell, Row, table
from viz.pictures.numbers import difference_text, number_text, percent_text
from viz.pictures.tokens import escape, say_markup
from viz.subjects.masks.batch import LabBatch
from viz.subjects.masks.effects import SentenceChange
from viz.subjects.masks.lab import LabRun, has_future

_ROUNDING = 1e-4
"""What float32 may differ by between two ways to the same logits."""
_MOST_CHANGED = 4
"""Tokens of one sentence that are written out."""


def batch_table(batch: LabBatch, chosen: int) -> Markup:
    """Show the padded batch: a row for each sentence, the chosen one lit."""
    decoded = batch.target if batch.is_of_one_text else batch.written
    texts = (
        (batch.source, batch.source_lengths, batch.tokenizers.source),
        (decoded, batch.target_lengths, batch.tokenizers.target),
    )
    there = [(ids, lengths, tokenizer) for ids, lengths, tokenizer in texts if ids is not None]
    rows: list[Row] = []
    for sentence in range(len(batch.lengths)):
        lit = "loupe-chosen" if sentence == chosen else ""
        for number, (ids, lengths, tokenizer) in enumerate(there):
            name = "" if number else f"{sentence + 1}"
            rows.append(Row([name, *_cells(ids[sentence], lengths[sentence], tokenizer)], lit))
    return table((), rows, base="loupe-batch")


def reason(text: str) -> Markup:
    """Show why there is a mask: part of the answer, so presenter mode has it too."""
    return Markup('<p class="masks-why">{}</p>').format(escape(text))


def result(said: Sequence[str]) -> Markup:
    """Show what the switches do: the first sentence is what one looks for."""
    parts = Markup().join(Markup("<p>{}</p>").format(escape(each)) for each in said)
    return Markup('<div class="masks-result" role="status">{}</div>').format(parts)


def leaks_table(run: LabRun) -> Markup:
    """Show for each kind how much weight rows of tokens give to what they must not read."""
    rows = [
        (
            say_of("masks.kind", kind),
            _leak(run.leaks[kind].future.share.max())
            if has_future(kind)
            else say("masks.has_no_future"),
            _leak(run.leaks[kind].padding.share.max()),
            f"{int(run.leaks[kind].masked_rows.sum())}",
            f"{int(run.leaks[kind].undefined_rows.sum())}",
        )
        for kind in run.kinds
    ]
    columns = (say_of("masks.leaks_column", n) for n in ("future", "padding", "masked", "nan"))
    return table(("", *columns), rows, numeric=range(1, 5))


def changes_table(changes: Sequence[SentenceChange], batch: LabBatch) -> Markup:
    """Show how the output for each sentence differs from that of the run before."""
    rows = [
        (
            f"{number}",
            number_text(change.logit_difference),
            say("masks.part_of", part=change.changed_tokens, all=len(change.positions)),
            f"{number_text(change.loss_before)} → {number_text(change.loss_after)}",
            _agreement(change.alone_after),
            _changed_tokens(change),
        )
        for number, change in enumerate(changes, 1)
    ]
    assert len(changes) == len(batch.lengths)
    names = ("sentence", "logit", "tokens", "loss", "alone", "says")
    columns = [say_of("masks.changes_column", name) for name in names]
    return table(columns, rows, numeric=(1, 2, 3))


def _cells(ids: Int[Tensor, " position"], length: int, tokenizer: Words) -> list[Cell]:
    names = tokenizer.tokens(ids.tolist())
    return [
        Cell(Markup("<bdi>{}</bdi>").format(escape(name)), "loupe-pad" if i >= length else "")
        for i, name in enumerate(names)
    ]


def _leak(share: float) -> Cell:
    if share > 0:
        return Cell(say("masks.share_of_row", share=percent_text(share)), "loupe-fail")
    return Cell("0")


def _agreement(difference: float) -> str:
    """State whether two ways to the same logits agree, and by how much they differ."""
    if math.isnan(difference):
        return "NaN"
    same = difference < _ROUNDING
    said, text = say("masks.same" if same else "masks.differs"), difference_text(difference)
    by = f"({text})" if difference == 0 else say("masks.by_up_to", difference=text)
    mark = Markup('<span class="{}"><b>{}</b></span> {}')
    return mark.format("loupe-pass" if same else "loupe-fail", said, by)


def _changed_tokens(change: SentenceChange) -> Markup:
    said = [
        Markup("{} → <b>{}</b>").format(
            escape(position.written), escape(position.after.token or "NaN")
        )
        for position in change.positions
        if position.changed
    ]
    listed = Markup(", ").join(said[:_MOST_CHANGED])
    more = len(said) - _MOST_CHANGED
    return say_markup("masks.and_more", listed=listed, count=more) if more > 0 else listed
