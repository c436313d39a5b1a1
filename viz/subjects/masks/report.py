"""What the mask laboratory found, as HTML."""

from collections.abc import Sequence

from jaxtyping import Int
from markupsafe import Markup
from torch import Tensor

from model.text.words import Words
from texts import say, say_of
from viz.pictures.html_table import Cell, Row, table
from viz.pictures.numbers import percent_text
from viz.pictures.tokens import escape
from viz.subjects.masks.batch import LabBatch
from viz.subjects.masks.lab import LabRun


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
    """Show why there is a mask."""
    return Markup('<p class="masks-why">{}</p>').format(escape(text))


def result(said: Sequence[str]) -> Markup:
    """Show what the switches do: the first sentence is what one looks for."""
    parts = Markup().join(Markup("<p>{}</p>").format(escape(each)) for each in said)
    return Markup('<div class="masks-result" role="status">{}</div>').format(parts)


def leaks_table(run: LabRun) -> Markup:
    """Show for each head how much weight a row of tokens gives to what it must not, at most."""
    rows = [
        (
            say("masks.layer_of", kind=say_of("masks.kind_begun", kind), layer=layer),
            *(_leak(share) for share in shares.max(axis=-1)),
        )
        for kind in run.kinds
        for layer, shares in enumerate(run.leaks(kind))
    ]
    heads = max(map(len, rows)) - 1
    columns = [say("masks.head", head=head) for head in range(heads)]
    return table(("", *columns), rows, numeric=range(1, heads + 1))


def _cells(ids: Int[Tensor, " position"], length: int, tokenizer: Words) -> list[Cell]:
    names = tokenizer.tokens(ids.tolist())
    return [
        Cell(Markup("<bdi>{}</bdi>").format(escape(name)), "loupe-pad" if i >= length else "")
        for i, name in enumerate(names)
    ]


def _leak(share: float) -> Cell:
    return Cell(percent_text(share), "loupe-fail") if share > 0 else Cell("0")
