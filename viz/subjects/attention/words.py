"""Everything that the page on attention says, in one place; what states a fact is computed."""

import math

from model.anatomy import Anatomy
from viz.pictures.numbers import number_text
from viz.run.head_roles import (
    LEAST_ABOVE_CHANCE,
    LEAST_RATE,
    LEAST_ROWS,
    NO_ROLE,
    SENTENCES,
)
from viz.run.jobs import JOBS
from viz.run.record import KINDS, HeadChecks
from viz.run.text_patterns import LEAST_PATTERN_ROWS, NO_PATTERN, patterns_of

QUESTION = "What does each word read?"
QUESTION_OF_HEAD = "What does this head read?"
NUMBERS = "Every number of this reading, with its formula"
STAGES = "The whole head, stage by stage"
SCALING = "Why divide by √d_k?"
TABLE = "What every head does"
BERTVIZ = "The same run in BertViz"
STAGES_HEADING = "From queries and keys to the mix of values"

NO_CAUSAL_MASK = (
    "This variant has no causal mask: during training it could read each next token from the "
    "target itself. While it decodes there is nothing to read yet, so it fails. Give it the "
    "correct target to see what it learned: the map then shows it reading ahead, while the "
    "probabilities are still those of steps that saw no later token."
)
FINISHED_SENTENCE = (
    "Without a causal mask, this map shows the finished sentence; each step of the decoding saw "
    "only the tokens written before it."
)

KINDS_LABEL, ROLES_LABEL = "Kinds", "What they do"
NO_SUCH_HEAD = "No head of these kinds does one of these."
DOWNLOAD_CSV = "Download as CSV"
HOW_ROLES = "How that is found"
COLUMNS = {
    "kind": ("Kind", "Which attention it is: what reads what."),
    "layer": ("Layer", "Counted from 0."),
    "head": ("Head", "Counted from 0."),
    "role": ("What it does", "Over held-out sentences; how that is found stands below the table."),
    "role_rate": ("How often", "The share of the rows that this is about, in which it does it."),
    "role_chance": ("By chance", "The same share for a head that does it by chance."),
    "most_read": ("Most read", "The token that gets the most weight over all rows."),
    "most_read_position": ("at", "The position of that token, counted from 0."),
}
"""Title and explanation of the columns that are not measures."""

BERTVIZ_VIEW = "BertViz view"
TOO_LARGE = "Too large for BertViz"


SPREADS = "The same with vectors drawn at random"
SPREADS_NOTE = (
    "Queries and keys whose components have mean 0 and variance 1, and a softmax over eight keys: "
    "the wider the vectors, the farther their dot products spread, and the less can be learned "
    "through the softmax. Divided by √d_k, width makes no difference."
)
SPREADS_HEADER = ("d_k", "variance of q·k", "gradient, not divided", "gradient, divided by √d_k")


def why_divided(variance: float, d_k: int) -> str:
    """Say why scores are divided, with how far the dot products of this run spread."""
    return (
        f"A dot product adds up d_k = {d_k} products, so the wider the vectors are, the larger it "
        f"gets: if all components had variance 1, its variance would be d_k. In this run it is "
        f"{number_text(variance)}. Large scores leave the softmax only one key, and hardly any "
        "gradient to learn by. Move the slider to see the row at once; let it go, and the whole "
        "model runs with that divisor."
    )


def switch_head(place: tuple[str, int, int], how: str, *, is_off: bool) -> str:
    """Say what a button does to a head."""
    kind, layer, head = place
    name = f"head {head} of {kind}, layer {layer},"
    if is_off:
        return f"Let {name} work again"
    return f"Switch {name} off" if how == "zero" else f"Replace {name} by its average"


def question(anatomy: Anatomy) -> str:
    """Ask what the page answers."""
    return QUESTION if anatomy.translates else QUESTION_OF_HEAD


def stopped_early(steps: int, end: str) -> str:
    """Say that the length ran out before the model ended, and what it had not written."""
    return f"Stopped after {steps} tokens: the model had not written {end} by then."


def would_go_on(written: int, end: str) -> str:
    """Say that a model which goes on from a prompt was stopped, and what it had not written."""
    return f"Stopped after {written} written tokens: the model had not written {end} by then."


def scaled_title(d_k: int, scale: float, *, is_biased: bool) -> str:
    """Head the stage at which dot products become scores."""
    by = f"÷ √{d_k}" if math.isclose(scale, d_k**-0.5) else f"× {number_text(scale)}"
    return f"2  {by}{', plus the bias' if is_biased else ''}"


def checks(
    found: HeadChecks, rounding: float, *, has_sinks: bool = False
) -> list[tuple[bool, str, str]]:
    """Give each check of a head: whether it passed, in words, and what was measured.

    With sinks, a row may read nothing with a part of it: then it sums to less than 1, by design.
    """
    hidden = found.masked_cells
    masked = (True, "nothing is masked here", "0 cells")
    if hidden and found.largest_masked_weight == 0:
        masked = (True, "masked weights are exactly 0", f"{hidden} cells")
    elif hidden:
        leak = number_text(found.largest_masked_weight)
        masked = (False, "weight leaks through the mask", f"up to {leak}")
    agrees = found.float64_error < rounding
    said = "agrees with float64 from q, k and mask"
    if found.changed and not agrees:
        agrees, said = True, "changed by you: no longer the softmax of q, k and mask"
    if has_sinks:
        most = f"up to {number_text(found.row_sum_error)}"
        return [(True, "rows may leave a part unread, by this model’s design", most), masked]
    return [
        (found.row_sum_error < rounding, "rows sum to 1", _off_by(found.row_sum_error)),
        masked,
        (agrees, said, _off_by(found.float64_error)),
    ]


def mask_title(hidden: int) -> str:
    """Head the stage after the mask."""
    return f"3  mask: {hidden} {'cell' if hidden == 1 else 'cells'} hidden"


def fill(value: float) -> str:
    """Name what a masked score becomes."""
    return f"fill {number_text(value)}"


def window(queries: range, keys: range) -> str:
    """Say which part of a large map the stages show."""
    return (
        f"Queries {queries[0]} to {queries[-1]} and keys {keys[0]} to {keys[-1]}, around the "
        "selected cell. Each mix is over all keys."
    )


def roles(anatomy: Anatomy | None = None) -> str:
    """Say how a head comes to its role, and list the jobs that are looked for, in Markdown.

    Without an anatomy: in a model of two texts.
    """
    if anatomy is not None and not anatomy.translates:
        return _patterns(anatomy)
    jobs = "\n\n".join(
        f"{kind.capitalize()}:\n\n"
        + "\n".join(f"- **{job.words}**: {job.meaning}" for job in JOBS if job.kind == kind)
        for kind in KINDS
    )
    return (
        f"Each head is watched over the first {SENTENCES} held-out sentences, with their right "
        "translations: which token does each row read most? A head has a job if that is what the "
        f"job says in at least {LEAST_RATE:.0%} of the rows that the job is about (of at least "
        f"{LEAST_ROWS}), and {LEAST_ABOVE_CHANCE:.0%} of them more than by chance. Chance is a "
        "head that reads each token as often as any other, or, where it is more, one that reads "
        "as far away as this head does in all its rows. Of several jobs it gets the one that is "
        f"least likely by chance; else **{NO_ROLE}**.\n\n{jobs}"
    )


def about_bertviz(kind: str, anatomy: Anatomy) -> str:
    """Say what BertViz' pictures show."""
    if not anatomy.translates:
        return (
            "All layers, drawn by BertViz 1.4 from the weights of this run: tokens that read "
            "(queries) on the left, tokens that are read (keys) on the right."
        )
    return (
        f"All layers of {kind}, drawn by BertViz 1.4 from the weights of this run: tokens that "
        "read (queries) on the left, tokens that are read (keys) on the right. Its neuron view "
        "works for self-attention only, where both are one sequence."
    )


def _patterns(anatomy: Anatomy) -> str:
    listed = "\n".join(f"- **{job.words}**: {job.meaning}" for job in patterns_of(anatomy))
    return (
        "Each head is watched over the text in view: which token does each row read most? A head "
        f"has a pattern if that is what the pattern says in at least {LEAST_RATE:.0%} of the rows "
        f"that it is about (of at least {LEAST_PATTERN_ROWS}), and {LEAST_ABOVE_CHANCE:.0%} of "
        "them more than by chance. Chance is a head that reads each token that it may read as "
        "often as any other. One text is little: another may show another pattern. Of several "
        "patterns a head gets the one that is least likely by chance; else "
        f"**{NO_PATTERN}**.\n\n{listed}"
    )


def _off_by(error: float) -> str:
    return "exactly" if error == 0 else f"± {number_text(error)}"
