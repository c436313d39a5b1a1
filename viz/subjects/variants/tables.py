"""What the variants did and how they differ, as HTML."""

from collections.abc import Sequence

from markupsafe import Markup

from texts import say, say_of
from texts.saying import written
from viz.pictures.html_table import Cell, Row, table
from viz.pictures.numbers import fixed, number_text
from viz.pictures.tokens import escape, joined, say_markup, underlined
from viz.run.copied_words import written_marks
from viz.run.record import Run, probability
from viz.subjects.variants.differences import Difference
from viz.subjects.variants.report import Table, Value

_MOST_TOKENS = 40
_SENTENCE = 24
"""Letters from which a cell is a sentence."""
_WIDE = 44
"""Width in rem that a table with sentences keeps."""


def outputs_table(runs: Sequence[Run]) -> Markup:
    """Show what each variant wrote for the sentence, with the probability of each token."""
    rows = [
        (run.info.variant, Cell(_written(run), "variants-written"), *_scores(run)) for run in runs
    ]
    header = (
        "",
        say("variants.outputs_writes"),
        say("variants.outputs_match"),
        say("variants.outputs_loss"),
        say("variants.outputs_best"),
    )
    return table(header, rows, kind="variants-outputs", numeric=(2, 3))


def difference_table(found: Sequence[Difference], variants: Sequence[str]) -> Markup:
    """Show the fields that differ: a column for each variant, marked where it is not the paper's.

    A part of the model is named once, beside the first of its fields.
    """
    rows: list[Row] = []
    before = None
    for difference in found:
        part = "" if difference.part == before else say_of("variants.part", difference.part)
        before = difference.part
        cells = [
            _value(difference.values[name], name in difference.from_paper) for name in variants
        ]
        rows.append(Row([part, difference.words, *cells], "variants-first" if part else ""))
    return table(
        (say("variants.block"), "", *variants),
        rows,
        kind="variants-differences",
        least_width=20 + 9 * len(variants),  # the words of a cell would be one above another
    )


def demonstration_table(shown: Table) -> Markup:
    """Show the numbers of a demonstration, under their title."""
    columns = zip(*shown.rows, strict=True)
    numeric = [
        column
        for column, values in enumerate(columns)
        if any(isinstance(value, int | float) for value in values)
    ]
    return table(
        shown.head,
        [tuple(map(_cell, row)) for row in shown.rows],
        kind="variants-numbers",
        caption=Cell(shown.title, "variants-title"),
        numeric=numeric,
        least_width=_WIDE if _has_text(shown) else None,
    )


def _has_text(shown: Table) -> bool:
    """Return whether a table has sentences, which a narrow one would break by word."""
    return any(
        isinstance(cell, str) and len(cell) > _SENTENCE for row in shown.rows for cell in row
    )


def verdict(text: str) -> Markup:
    """Show what the numbers say."""
    return Markup('<p class="variants-verdict">{}</p>').format(escape(text))


def _written(run: Run) -> Markup:
    text = Markup("<p>{}</p>").format(
        underlined(run.text, written_marks(run)) if run.text else say("variants.no_words")
    )
    if not run.text and not run.info.config.causal_mask:
        text += Markup("<small>{}</small>").format(say("variants.learned_to_read_ahead"))
    steps = list(zip(run.target_tokens[1:], run.steps, strict=True))
    chips = joined(_chip(token, probability(step)) for token, step in steps[:_MOST_TOKENS])
    if len(steps) > _MOST_TOKENS:
        chips += Markup("<li>{}</li>").format(say("variants.more", count=len(steps) - _MOST_TOKENS))
    return Markup('{}<ul class="variants-tokens">{}</ul>').format(text, chips)


def _chip(token: str, p: float) -> Markup:
    return Markup(
        '<li title="{}"><bdi>{}</bdi><small>{}</small><i style="width:{:.0%}"></i></li>'
    ).format(say("variants.probability", probability=fixed(p, 4)), escape(token), fixed(p, 2), p)


def _scores(run: Run) -> tuple[str, str, str]:
    scores = run.info.scores
    best = scores.get("best_head")
    head = say("variants.none_scored")
    if isinstance(best, dict) and {"layer", "head", "all_tokens"} <= best.keys():
        head = say_markup(
            "variants.best_head",
            layer=str(best["layer"]),
            head=str(best["head"]),
            share=_score(best["all_tokens"]),
        )
    return _score(scores.get("exact_match")), _score(scores.get("loss")), head


def _score(value: object) -> str:
    return fixed(value, 3) if isinstance(value, int | float) else say("variants.not_scored")


def _value(text: str, differs: bool) -> Cell:
    text = text.replace(" − 1", "\N{NO-BREAK SPACE}−\N{NO-BREAK SPACE}1")
    return Cell(text, "variants-differs", say("variants.not_the_papers")) if differs else Cell(text)


def _cell(value: Value) -> str:
    if isinstance(value, str):
        return value
    return written(f"{value:,}") if isinstance(value, int) else number_text(value)
