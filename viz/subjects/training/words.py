"""What the page on training says that is more than a label: sentences about what it shows."""

from model.checkpoints.checkpoint import CheckpointInfo
from sample_data.one_text.tasks import any_task
from texts import say, say_of
from viz.pictures.numbers import fixed, number_text, percent_text
from viz.subjects.training.live_training import Report
from viz.subjects.training.plan import PAIRS, SHORTEST, SIZES, Plan
from viz.subjects.training.schedules import SCHEDULES, Setting
from viz.subjects.training.time_lapse import TimeLapse

OVER_CONFIDENT = 0.9999
"""The probability whose price is told."""


def answer(lapse: TimeLapse) -> str:
    """Describe what a training came to, by its first snapshot and its last."""
    first, last = lapse.snapshots[0], lapse.snapshots[-1]
    said = say("training.answer", step=last.step)
    place = max(last.scores.heads, key=last.scores.heads.__getitem__, default=None)
    if place is None or place not in first.scores.heads:
        before, after = (percent_text(each.scores.exact_match) for each in (first, last))
        return f"{said} {say('training.answer_right', before=before, after=after)}"
    before, after = (percent_text(each.scores.heads[place]) for each in (first, last))
    layer, head = place
    values = {"layer": layer, "head": head, "before": before, "after": after}
    return f"{said} {say('training.answer_head', **values)}"


def lapse_heading(task: str) -> str:
    """Head a time-lapse with its task, which may not be that of the model in view."""
    return say("training.lapse_of", task=_task_title(task)) if task else say("training.lapse")


def other_task(chosen: str) -> str:
    """State that the model in view has nothing to do with the time-lapse."""
    return say("training.other_task", task=_task_title(chosen))


def lapse_note(info: CheckpointInfo, steps: int, snapshots: int) -> str:
    """State what is played."""
    config = info.config
    return say(
        "training.lapse_note",
        title=_task_title(info.task),
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
    """Name the field of the longest command."""
    return say("training.longest", shortest=SHORTEST)


def progress_words(report: Report, plan: Plan) -> str:
    """State how far a training is."""
    status = say_of("training.status", report.status)
    parts = [say("training.progress", status=status, step=report.step, steps=plan.steps)]
    if report.seconds:
        parts.append(say("training.progress_seconds", seconds=report.seconds))
    if report.lapse and report.lapse.losses:
        parts.append(say("training.progress_loss", loss=fixed(report.lapse.losses[-1], 2)))
    if report.lapse:
        parts.append(_right(report.lapse.snapshots[-1].scores.exact_match))
    return " · ".join(parts)


def schedule_words(setting: Setting) -> str:
    """State in numbers what the curves show."""
    first = SCHEDULES["inverse_root"](1, setting)
    return say(
        "training.rate_said",
        warmup=setting.warmup,
        peak=number_text(setting.peak),
        first=number_text(first),
        times=number_text(first / setting.peak),
    )


def smoothing_words(
    size: int, smoothing: float, best: float, least: float, sure: float
) -> list[str]:
    """State in numbers what the figures show."""
    if not smoothing:
        return [say("training.smoothing_none")]
    return [
        say(
            "training.smoothing_target",
            best=fixed(best, 4),
            others=size - 1,
            each=number_text(smoothing / size),
            size=size,
        ),
        say(
            "training.smoothing_least",
            least=fixed(least, 3),
            best=fixed(best, 4),
            probability=OVER_CONFIDENT,
            cost=fixed(sure, 3),
        ),
        say("training.smoothing_curve"),
    ]


def _right(exact_match: float) -> str:
    return say("training.progress_right", percent=100 * exact_match)


def _task_title(task: str) -> str:
    found = any_task(task)
    return found.title if found else task
