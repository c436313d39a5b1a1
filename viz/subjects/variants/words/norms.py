"""What is said of the two norms."""

from texts import say, say_of
from viz.pictures.numbers import number_text, percent_text
from viz.subjects.variants.norms import LAYER_EPS, SCALES, STD_EPS, WEAK, Norms
from viz.subjects.variants.report import Lines, Report, Table

_ROUNDING = 1e-4
_EPS = {"layer": LAYER_EPS, "unbiased_std": STD_EPS}


def report_norms(found: Norms) -> Report:
    """Say how far the factor explains the difference, and where eps matters."""
    explained = say(
        "variants.norms_explained" if found.left < _ROUNDING else "variants.norms_part",
        size=found.size,
        difference=number_text(found.difference),
        largest=number_text(found.largest),
        ratio=number_text(found.ratio),
        factor=number_text(found.factor),
        left=number_text(found.left),
    )
    layer, unbiased = map(number_text, found.weak_below.values())
    eps = say("variants.norms_eps", weak=percent_text(WEAK), layer=layer, unbiased=unbiased)
    rows = (
        (say("variants.norms_largest"), found.largest),
        (say("variants.norms_difference"), found.difference),
        (say("variants.norms_ratio"), found.ratio),
        ("√((n − 1)/n)", found.factor),
        (say("variants.norms_left"), found.left),
    )
    lines = Lines(
        title=say("variants.norms_lines"),
        x_title=say("variants.norms_x"),
        y_title=say("variants.norms_y"),
        x=SCALES,
        lines={
            say_of("variants.norm_line", norm, eps=number_text(_EPS[norm])): sizes
            for norm, sizes in found.sizes.items()
        },
        log_x=True,
    )
    table = Table(say("variants.norms_table"), ("", say("variants.norms_measured")), rows)
    return Report(f"{explained} {eps}", (table,), (lines,))
