"""What the variants did and how they differ, as HTML."""

import math
from collections.abc import Iterable, Sequence

from viz.pictures.tokens import escape
from viz.run.record import Run, probability
from viz.subjects.variants.convert import Conversion, NotTheSameError
from viz.subjects.variants.differences import Difference
from viz.subjects.variants.report import Table, Value

_MOST_TOKENS = 40


def outputs_table(runs: Sequence[Run]) -> str:
    """Show what each variant wrote for the sentence, with the probability of each token."""
    body = "".join(
        f"<tr><th>{escape(run.info.variant)}</th>"
        f'<td class="variants-written">{_written(run)}</td>{_scores(run)}</tr>'
        for run in runs
    )
    head = ("", "writes", "exact match", "loss, nats a token", "best head")
    return _table(head, body, "variants-outputs")


def difference_table(found: Sequence[Difference], variants: Sequence[str]) -> str:
    """Show the fields that differ: a column for each variant, marked where it is not the paper's.

    A part of the model is named once, beside the first of its fields.
    """
    rows: list[str] = []
    before = None
    for difference in found:
        part = "" if difference.part == before else difference.part
        before = difference.part
        cells = "".join(
            _value(difference.values[name], name in difference.from_paper) for name in variants
        )
        first = ' class="variants-first"' if part else ""
        rows.append(
            f"<tr{first}><th>{escape(part)}</th><td>{escape(difference.words)}</td>{cells}</tr>"
        )
    head = ("block", "", *map(escape, variants))
    table = _table(head, "".join(rows), "variants-differences")
    least = 20 + 9 * len(variants)  # rem; narrower, the words of a cell would be one above another
    return table.replace("<table ", f'<table style="min-width:{least}rem" ', 1)


def demonstration_table(table: Table) -> str:
    """Show the numbers of a demonstration, under their title."""
    body = "".join(
        f"<tr><th>{escape(_cell(row[0]))}</th>"
        + "".join(f"<td>{escape(_cell(value))}</td>" for value in row[1:])
        + "</tr>"
        for row in table.rows
    )
    return (
        f'<p class="variants-title">{escape(table.title)}</p>'
        f"{_table(map(escape, table.head), body, 'variants-numbers')}"
    )


def verdict(text: str) -> str:
    """Show what the numbers say."""
    return f'<p class="variants-verdict">{escape(text)}</p>'


def conversion_report(result: Conversion | NotTheSameError) -> str:
    """Show what was done and how equal the outputs are, or why it cannot be."""
    if isinstance(result, NotTheSameError):
        body = "".join(
            f"<tr><th>{escape(field)}</th><td>{escape(why)}</td></tr>"
            for field, why in result.reasons.items()
        )
        return verdict("Not the same mathematics: no weights give these outputs.") + _table(
            ("field", "why not"), body, "variants-steps"
        )
    steps = "".join(
        f"<tr><th>{escape(field)}</th><td>{escape(step)}</td></tr>"
        for field, step in result.steps.items()
    )
    measured = Table(
        "Both on the sentence in view, largest difference",
        ("of", ""),
        (
            ("logits", result.logit_difference),
            ("logits after log-softmax", result.log_probability_difference),
            ("probabilities, from what each hands on", result.output_difference),
        ),
    )
    return (
        verdict(result.verdict)
        + _table(("field", "what was done"), steps, "variants-steps")
        + demonstration_table(measured)
    )


def _written(run: Run) -> str:
    text = f"<p>{escape(run.text) or '(no words)'}</p>"
    if not run.text and not run.info.config.causal_mask:
        text += (
            "<small>Without a causal mask it learned to read each next token off the target; while "
            "it writes there is none to read.</small>"
        )
    steps = list(zip(run.target_tokens[1:], run.steps, strict=True))
    chips = "".join(_chip(token, probability(step)) for token, step in steps[:_MOST_TOKENS])
    more = f"<li>and {len(steps) - _MOST_TOKENS} more</li>" if len(steps) > _MOST_TOKENS else ""
    return f'{text}<ul class="variants-tokens">{chips}{more}</ul>'


def _chip(token: str, p: float) -> str:
    return (
        f'<li title="probability {p:.4f}"><bdi>{escape(token)}</bdi>'
        f"<small>{p:.2f}</small>"
        f'<i style="width:{p:.0%}"></i></li>'
    )


def _scores(run: Run) -> str:
    scores = run.info.scores
    best = scores.get("best_head")
    head = "<td>none scored</td>"
    if isinstance(best, dict) and {"layer", "head", "all_tokens"} <= best.keys():
        head = (
            f"<td>L{escape(str(best['layer']))} H{escape(str(best['head']))}"
            f"<small>{_score(best['all_tokens'])} right</small></td>"
        )
    return (
        f"<td>{_score(scores.get('exact_match'))}</td><td>{_score(scores.get('loss'))}</td>{head}"
    )


def _score(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, int | float) else "not scored"


def _value(text: str, differs: bool) -> str:
    text = text.replace(" − 1", "\N{NO-BREAK SPACE}−\N{NO-BREAK SPACE}1")
    if differs:
        return f'<td class="variants-differs" title="not as in the paper">{escape(text)}</td>'
    return f"<td>{escape(text)}</td>"


def _cell(value: Value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    if math.isnan(value):
        return "NaN"
    if value == 0:
        return "0"
    if 0.001 <= abs(value) < 100_000:
        return f"{value:.4g}".replace("-", "−")
    return f"{value:.1e}".replace("e-0", "e−").replace("e+0", "e").replace("-", "−")


def _table(head: Iterable[str], body: str, name: str) -> str:
    names = "".join(f"<th>{text}</th>" for text in head)
    return (
        f'<div class="loupe-scroll"><table class="loupe-table {name}">'
        f"<thead><tr>{names}</tr></thead><tbody>{body}</tbody></table></div>"
    )
