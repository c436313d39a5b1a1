"""What is said of tied weights, of the scale of embeddings, of the biases of attention."""

from texts import listed, say, say_of
from viz.pictures.numbers import number_text, percent_text
from viz.subjects.variants.facts import Biases, Scale, Tied
from viz.subjects.variants.report import Report, Table

_ROUNDING = 1e-4


def report_tied(found: Tied) -> Report:
    """Say what tying saves."""
    tied, untied = found.counts["all"], found.counts["none"]
    saved = 1 - tied / untied
    verdict = (
        say("variants.tied_saves", tied=tied, untied=untied, saved=percent_text(saved))
        if saved
        else say("variants.tied_saves_nothing")
    )
    rows = tuple((say_of("config.tying", how), count) for how, count in found.counts.items())
    header = (say("variants.tied_column"), say("variants.parameters"))
    return Report(verdict, (Table(say("variants.tied_table"), header, rows),))


def report_scale(found: Scale) -> Report:
    """Say how the sizes compare where the embeddings are scaled and where not."""
    header = (
        "",
        say("variants.scale_times"),
        say("variants.scale_matrix"),
        say("variants.scale_tokens"),
        say("variants.scale_positions"),
    )
    rows = tuple(
        (
            name,
            say_of("variants.value", "yes" if found.scaled[name] else "no"),
            found.table[name],
            found.tokens[name],
            found.positions[name],
        )
        for name in found.tokens
    )
    verdict = f"{_say_scale(found)} {say('variants.scale_held')}"
    return Report(verdict, (Table(say("variants.scale_table"), header, rows),))


def _say_scale(found: Scale) -> str:
    scaled, unscaled = (
        [t / found.positions[n] for n, t in found.tokens.items() if found.scaled[n] is is_scaled]
        for is_scaled in (True, False)
    )
    if not unscaled:
        return say("variants.scale_scaled", scaled=_span(scaled))
    if not scaled:
        return say("variants.scale_unscaled", unscaled=_span(unscaled))
    return say("variants.scale_both", scaled=_span(scaled), unscaled=_span(unscaled))


def _span(values: list[float]) -> str:
    """Write the smallest and the largest of some numbers, or one where both read alike."""
    low, high = number_text(min(values)), number_text(max(values))
    return low if low == high else say("variants.span", low=low, high=high)


def report_biases(found: Biases) -> Report:
    """Say which of them can be left out."""
    rows = tuple(
        (_projection(name), found.largest[name], change) for name, change in found.changes.items()
    )
    header = (
        say("variants.bias_of"),
        say("variants.bias_largest"),
        say("variants.bias_largest_change"),
    )
    return Report(_say_biases(found), (Table(say("variants.bias_table"), header, rows),))


def _say_biases(found: Biases) -> str:
    if not found.parameters:
        return say("variants.no_biases")
    idle = [name for name, change in found.changes.items() if change < _ROUNDING]
    needed = [
        say("variants.bias_change", name=_projection(name), change=number_text(change))
        for name, change in found.changes.items()
        if change >= _ROUNDING
    ]
    said = [say("variants.bias_count", count=found.parameters, total=found.of)]
    if idle == ["key"]:
        said.append(say("variants.bias_idle_key"))
    elif idle:
        said.append(say("variants.bias_idle", names=listed([*map(_projection, idle)])))
    if needed:
        said.append(say("variants.bias_needed", changes=listed(needed)))
    return " ".join(said)


def _projection(name: str) -> str:
    return say_of("variants.projection", name)
