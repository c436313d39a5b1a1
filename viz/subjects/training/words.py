"""Sentences of the Training page about its snapshots and settings."""

from markupsafe import Markup

from model.checkpoints.metadata import CheckpointInfo
from sample_data.one_text.tasks import task_title
from texts import say, say_of
from viz.pictures.numbers import fixed, percent_text
from viz.pictures.tokens import joined, say_markup, token
from viz.subjects.training.live_training import Report
from viz.subjects.training.plan import PAIRS, SHORTEST, SIZES, Plan
from viz.subjects.training.time_lapse import TimeLapse

_LONGEST, _LONGEST_FIRST = 60, 24
"""The number of characters shown of a text; fewer of a text by an untrained model."""


def question(source: str) -> Markup:
    """Ask how the model learned to read a sentence."""
    return say_markup("training.question_of", text=token(_bare(source)))


def answer(lapse: TimeLapse, task: str) -> Markup:
    """Describe the result of a training, by its first snapshot and its last."""
    first, last = lapse.snapshots[0], lapse.snapshots[-1]
    wrote = {
        name: token(_bare(text, longest) or say("training.writes_nothing"))
        for name, text, longest in (
            ("first", first.written, _LONGEST_FIRST),
            ("last", last.written, _LONGEST),
        )
    }
    said = say_markup("training.answer", task=task_title(task), step=last.step, **wrote)
    place = max(last.scores.heads, key=last.scores.heads.__getitem__, default=None)
    if place is None or place not in first.scores.heads:
        return said
    before, after = (percent_text(round(each.scores.heads[place], 2)) for each in (first, last))
    layer, head = place
    values = {"layer": layer, "head": head, "before": before, "after": after}
    return joined([said, " ", say_markup("training.answer_head", **values)])


def _bare(text: str, longest: int = _LONGEST) -> str:
    """Leave out the full stop at the end, and the end of a long text."""
    bare = text.rstrip(" .!?")
    return bare if len(bare) <= longest else f"{bare[:longest].rstrip()}…"


def lapse_heading(task: str) -> str:
    """Return the heading of a time-lapse, with its task if the model in view has another one."""
    return say("training.lapse_of", task=task_title(task)) if task else say("training.lapse")


def other_task(chosen: str) -> str:
    """State that the time-lapse is of another model than the one in view."""
    return say("training.other_task", task=task_title(chosen))


def lapse_note(info: CheckpointInfo, steps: int, snapshots: int) -> str:
    """State which training is played."""
    config = info.config
    return say(
        "training.lapse_note",
        encoder=config.n_encoder_layers,
        decoder=config.n_decoder_layers,
        d_model=config.d_model,
        steps=steps,
        snapshots=snapshots,
    )


def live_note() -> str:
    """State what is trained on the page."""
    return say(
        "training.live_note",
        encoder=SIZES["n_encoder_layers"],
        decoder=SIZES["n_decoder_layers"],
        d_model=SIZES["d_model"],
        heads=SIZES["n_heads"],
        pairs=PAIRS,
    )


def longest() -> str:
    """Return the name of the field for the longest command."""
    return say("training.longest", shortest=SHORTEST)


def progress_words(report: Report, plan: Plan) -> str:
    """State the progress of a training."""
    status = say_of("training.status", report.status)
    parts = [say("training.progress", status=status, step=report.step, steps=plan.steps)]
    if report.seconds:
        parts.append(say("training.progress_seconds", seconds=report.seconds))
    if report.lapse and report.lapse.losses:
        parts.append(say("training.progress_loss", loss=fixed(report.lapse.losses[-1], 2)))
    if report.lapse:
        parts.append(_right(report.lapse.snapshots[-1].scores.exact_match))
    return " · ".join(parts)


def _right(exact_match: float) -> str:
    return say("training.progress_right", percent=100 * exact_match)
