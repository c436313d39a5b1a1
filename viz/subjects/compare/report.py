"""The comparison of two runs as HTML: their texts with marked differences, and tables."""

from collections.abc import Sequence

from markupsafe import Markup

from texts import say
from viz.heads.text_alignment import align_texts
from viz.pictures.html_table import Row, table
from viz.pictures.numbers import percent_text
from viz.pictures.tokens import escape, joined
from viz.run.record import Run
from viz.subjects.compare import words
from viz.subjects.compare.outputs import StepChange
from viz.subjects.compare.stages import StageChange

_Marked = tuple[Markup, Markup]
_LETTERS = ("A", "B")


def two_texts(a: Run, b: Run, names: tuple[str, str]) -> Markup:
    """Show both runs, the source above the target; words that only one has are marked."""
    sources = marked_texts(a.source_text, b.source_text)
    outputs = marked_texts(a.text, b.text)
    shape = Markup(
        '<span class="compare-letter">{}</span><div><p class="compare-in" dir="auto">{}{}</p>'
        '<p class="compare-out" dir="auto">{}</p></div>'
    )
    aside = Markup(' <span class="compare-of">{}</span>')
    rows = [
        shape.format(
            letter,
            source,
            aside.format(escape(name)) if name else "",
            output or (say("compare.wrote_nothing") if a.steps else ""),
        )
        for letter, source, output, name in zip(_LETTERS, sources, outputs, names, strict=True)
    ]
    return Markup('<div class="compare-texts">{}</div>').format(joined(rows))


def marked_texts(a: str, b: str) -> _Marked:
    """Cross out words of A that B lacks, and highlight words of B that A lacks.

    Texts that have less than half in common stay unmarked.
    """
    ours, theirs = a.split(), b.split()
    same = [(i, j) for i, j in align_texts(ours, theirs) if i is not None and j is not None]
    kept = [(i, j) for i, j in same if ours[i] == theirs[j]]
    if 2 * len(kept) < max(len(ours), len(theirs)):
        return escape(a), escape(b)
    return (
        _marked(ours, {i for i, _ in kept}, Markup("<del>{}</del>")),
        _marked(theirs, {j for _, j in kept}, Markup("<ins>{}</ins>")),
    )


def _marked(pieces: Sequence[str], kept: set[int], mark: Markup) -> Markup:
    parts = [
        escape(piece) if i in kept else mark.format(escape(piece)) for i, piece in enumerate(pieces)
    ]
    return Markup(" ").join(parts)


def stage_bars(stages: Sequence[StageChange]) -> Markup:
    """Show how far the states of each stage are apart, in grey if they are equal."""
    most = max((s.change for s in stages if s.change == s.change), default=0.0) or 1.0
    rows = [
        Markup(
            '<li class="{}"><code>{}</code><span class="compare-bar"><i style="width:{}%"></i>'
            '</span><span class="loupe-number">{}</span></li>'
        ).format(
            "compare-same" if stage.identical else "",
            stage.name,
            round(100 * stage.change / most, 1) if stage.change == stage.change else 0,
            say("compare.the_same") if stage.identical else percent_text(stage.change),
        )
        for stage in stages
    ]
    return Markup('<ol class="compare-stages">{}</ol>').format(joined(rows))


def steps_table(steps: Sequence[StepChange], a: Run, b: Run) -> Markup:
    """Show how far the outputs of the paired steps are apart, and which tokens changed most."""
    rows = []
    for step in steps:
        i, j = step.steps
        ours, theirs = a.target_tokens[(i or 0) + 1], b.target_tokens[(j or 0) + 1]
        number = f"{i}" if i == j else f"{i} | {j}"
        cells = [
            number,
            ours,
            theirs,
            percent_text(step.moved),
            words.step_tokens(step.tokens),
        ]
        rows.append(Row(cells, "" if ours == theirs else "compare-differs"))
    header = (
        say("compare.step"),
        say("compare.step_a"),
        say("compare.step_b"),
        say("compare.step_moved"),
        say("compare.step_tokens"),
    )
    return table(header, rows, numeric=(3,))
