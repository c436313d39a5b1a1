"""Sentences of the Attention page that depend on several values or on the case."""

import math
from collections.abc import Mapping

from model.anatomy import Anatomy
from texts import say, say_of
from viz.heads.even_rows import STANDS_OUT
from viz.heads.head_checks import HeadChecks
from viz.heads.head_roles import LEAST_ABOVE_CHANCE, LEAST_RATE, HeadRoles
from viz.pictures.numbers import number_text

_LONGEST_TITLE = 80


def question(anatomy: Anatomy) -> str:
    """Return the question that the page answers."""
    return say("attention.question" if anatomy.translates else "attention.question_of_head")


def scaled_title(d_k: int, scale: float, *, is_biased: bool) -> str:
    """Return the heading of the stage at which dot products become scores."""
    if math.isclose(scale, d_k**-0.5):
        if is_biased:
            return say("attention.stage_divided_biased", d_k=d_k)
        return say("attention.stage_divided", d_k=d_k)
    by = number_text(scale)
    if is_biased:
        return say("attention.stage_times_biased", scale=by)
    return say("attention.stage_times", scale=by)


def checks(
    found: HeadChecks, rounding: float, *, has_sinks: bool = False
) -> list[tuple[bool, str, str]]:
    """Return each check of a head: whether it passed, its name, and the measured value.

    With sinks, part of a row's weight reads nothing, so the row sums to less than 1 by design.
    """
    hidden = found.masked_cells
    cells = say("attention.cells", count=hidden)
    masked = (True, say("attention.nothing_masked"), cells)
    if hidden and found.largest_masked_weight == 0:
        masked = (True, say("attention.masked_zero"), cells)
    elif hidden:
        masked = (False, say("attention.leaks"), _up_to(found.largest_masked_weight))
    agrees = found.float64_error < rounding
    said = say("attention.agrees")
    if found.changed and not agrees:
        agrees, said = True, say("attention.changed")
    if has_sinks:
        return [(True, say("attention.rows_unread"), _up_to(found.row_sum_error)), masked]
    rows_sum = found.row_sum_error < rounding
    return [
        (rows_sum, say("attention.rows_sum"), _off_by(found.row_sum_error)),
        masked,
        (agrees, said, _off_by(found.float64_error)),
    ]


def window(queries: range, keys: range) -> str:
    """State which part of a large map the stages show."""
    return say(
        "attention.window",
        first_query=queries[0],
        last_query=queries[-1],
        first_key=keys[0],
        last_key=keys[-1],
    )


def about_jobs(found: HeadRoles) -> str:
    """Describe the condition on which a head counts as doing a job."""
    over = say_of("job.over", found.over, count=found.sentences)
    least = {"rate": LEAST_RATE, "above": 100 * LEAST_ABOVE_CHANCE, "times": STANDS_OUT}
    return say("attention.about_jobs", over=over, **least)


def _off_by(error: float) -> str:
    return say("attention.exactly") if error == 0 else f"± {number_text(error)}"


def _up_to(value: float) -> str:
    return say("attention.up_to", value=number_text(value))


def offline_title(source: str) -> str:
    """Name a page by the sentence that the model read."""
    return say("attention.offline_title", source=source[:_LONGEST_TITLE])


def offline_notes(said: Mapping[str, object]) -> list[str]:
    """State at the foot of a page where its numbers come from and how to compute them again."""
    texts = {name: said[name] for name in ("source", "target", "decoding")}
    notes = [
        say("attention.rounded"),
        _made_by(said),
        say("attention.texts_given", **texts)
        if said["given"]
        else say("attention.texts_written", **texts),
    ]
    edits = said.get("edits")
    if isinstance(edits, list) and edits:
        notes.append(say("attention.edits", edits="; ".join(map(str, edits))))
    if link := said.get("link"):
        notes.append(say("attention.link", link=link))
    return notes


def _made_by(said: Mapping[str, object]) -> str:
    made = {name: said[name] for name in ("checkpoint", "device", "torch", "numpy")}
    made |= {"program": str(said["app"]), "date": str(said.get("date", ""))[:10]}
    if sha256 := said.get("sha256"):
        made["checkpoint"] = f"{made['checkpoint']} (sha256 {sha256})"
    return say("attention.made_by", **made)
