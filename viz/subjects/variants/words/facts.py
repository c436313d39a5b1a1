"""What is said of tied weights, of the scale of embeddings, of the biases of attention."""

from viz.pictures.numbers import number_text, percent_text
from viz.run.config_words import TYING
from viz.subjects.variants.facts import Biases, Scale, Tied
from viz.subjects.variants.report import Report, Table
from viz.subjects.variants.words.spans import listed, span

_ROUNDING = 1e-4


def report_tied(found: Tied) -> Report:
    """Say what tying saves."""
    saved = 1 - found.counts["all"] / found.counts["none"]
    verdict = (
        f"Tied, both embeddings and the generator are one matrix: {found.counts['all']:,} "
        f"parameters instead of {found.counts['none']:,}, {percent_text(saved)} fewer."
        if saved
        else "Tying saves nothing here."
    )
    rows = tuple((TYING[tying], count) for tying, count in found.counts.items())
    return Report(verdict, (Table("Parameters, all else equal", ("tied", "parameters"), rows),))


def report_scale(found: Scale) -> Report:
    """Say how the sizes compare where the embeddings are scaled and where not."""
    parts: list[str] = []
    for scaled, words in ((True, "scaled by √d_model"), (False, "not scaled")):
        ratios = [
            t / found.positions[n] for n, t in found.tokens.items() if found.scaled[n] is scaled
        ]
        if ratios:
            parts.append(
                f"where embeddings are {words}, tokens are {span(ratios)} times as large as "
                "positions"
            )
    both = "; ".join(parts)
    verdict = (
        f"{both[0].upper()}{both[1:]}. The factor need not change what a model computes: its "
        "matrix can hold it as well."
    )
    header = ("", "times √d_model", "embedding matrix", "tokens", "positions")
    rows = tuple(
        (
            name,
            "yes" if found.scaled[name] else "no",
            found.table[name],
            found.tokens[name],
            found.positions[name],
        )
        for name in found.tokens
    )
    return Report(verdict, (Table("Root mean square of the numbers of a source", header, rows),))


def report_biases(found: Biases) -> Report:
    """Say which of them can be left out."""
    rows = tuple((name, found.largest[name], change) for name, change in found.changes.items())
    header = ("biases of", "largest", "largest change of a logit without them")
    return Report(_say_biases(found), (Table("Biases of the attentions", header, rows),))


def _say_biases(found: Biases) -> str:
    if not found.parameters:
        return "This checkpoint has no biases in its attentions."
    idle = [name for name, change in found.changes.items() if change < _ROUNDING]
    needed = [
        f"{name} by up to {number_text(change)}"
        for name, change in found.changes.items()
        if change >= _ROUNDING
    ]
    said = [f"The biases are {found.parameters:,} of {found.of:,} parameters."]
    if idle:
        why = (
            ": they add the same to all scores of a row, and the softmax takes that out"
            if idle == ["key"]
            else ""
        )
        said.append(
            f"Without those of {listed(idle)} the logits change by rounding errors alone{why}."
        )
    if needed:
        said.append(f"Removing any of the others changes a logit: {', '.join(needed)}.")
    return " ".join(said)
