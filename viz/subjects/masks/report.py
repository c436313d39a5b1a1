"""The findings of the mask laboratory as HTML."""

from collections.abc import Sequence

from jaxtyping import Int
from markupsafe import Markup
from torch import Tensor

from model.text.words import Words
from viz.pictures.html_table import Cell, Row, table
from viz.pictures.tokens import escape
from viz.subjects.masks.batch import LabBatch


def batch_table(batch: LabBatch, chosen: int) -> Markup:
    """Show the padded batch: a row for each sentence, the chosen one highlighted."""
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
    """Show why there is a mask."""
    return Markup('<p class="masks-why">{}</p>').format(escape(text))


def result(said: Sequence[str]) -> Markup:
    """Show the effect of the switches, in the first sentence the main one."""
    parts = Markup().join(Markup("<p>{}</p>").format(escape(each)) for each in said)
    return Markup('<div class="masks-result" role="status">{}</div>').format(parts)


def _cells(ids: Int[Tensor, " position"], length: int, tokenizer: Words) -> list[Cell]:
    names = tokenizer.tokens(ids.tolist())
    return [
        Cell(Markup("<bdi>{}</bdi>").format(escape(name)), "loupe-pad" if i >= length else "")
        for i, name in enumerate(names)
    ]
