"""What is said of the two norms."""

from viz.pictures.numbers import number_text, percent_text
from viz.subjects.variants.norms import SCALES, WEAK, Norms
from viz.subjects.variants.report import Lines, Report, Table

_ROUNDING = 1e-4


def report_norms(found: Norms) -> Report:
    """Say how far the factor explains the difference, and where eps matters."""
    explained = found.left < _ROUNDING
    layer, unbiased = found.weak_below.values()
    verdict = (
        f"On the same vectors of {found.size} numbers the outputs differ by at most "
        f"{number_text(found.difference)}, where the largest is {number_text(found.largest)}: a "
        f"factor of {number_text(found.ratio)}. √((n − 1)/n) is {number_text(found.factor)}, and "
        f"once it is taken out {number_text(found.left)} is left: the factor explains "
        f"{'all but rounding and eps' if explained else 'only a part'}, and the norm's own weight "
        "can learn it. Where the vectors hardly vary, eps takes over: LayerNorm's output falls "
        f"below {percent_text(WEAK)} of its full size at a std under {number_text(layer)}, the "
        f"other's under {number_text(unbiased)}."
    )
    rows = (
        ("largest output of LayerNorm", found.largest),
        ("largest difference of the two", found.difference),
        ("mean ratio of the two", found.ratio),
        ("√((n − 1)/n)", found.factor),
        ("largest difference after this factor", found.left),
    )
    lines = Lines(
        title="Size of the output for vectors that vary less and less",
        x_title="std of the input",
        y_title="root mean square of the output",
        x=SCALES,
        lines=found.sizes,
        log_x=True,
    )
    title = "The same vectors through both norms"
    return Report(verdict, (Table(title, ("", "measured"), rows),), (lines,))
