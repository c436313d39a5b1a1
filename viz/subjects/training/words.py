"""All that the page on training says: its labels, and sentences about what it shows."""

from collections.abc import Sequence

from model.checkpoint import CheckpointInfo
from sample_data.tasks import TASKS
from viz.pictures.numbers import fixed, number_text, percent_text
from viz.subjects.training.depth import DepthRecord, DepthRun, first_to_last
from viz.subjects.training.live import Report
from viz.subjects.training.plan import PAIRS, SHORTEST, SIZES, Plan
from viz.subjects.training.schedules import SCHEDULES, Setting
from viz.subjects.training.time_lapse import TimeLapse

TITLE = "Training"
QUESTION = "How did the heads learn this?"
LAPSE, LIVE, SCHEDULE = "Time-lapse", "Live", "Learning rate"
SMOOTHING, DEPTH = "Label smoothing", "Depth"
"""What a link calls the parts of the page."""
LIVE_FOLD = "Live: train a model here and now, and watch its heads"
SCHEDULE_FOLD = "The learning rate: why it rises before it falls"
SMOOTHING_FOLD = "Label smoothing: why the model is never quite sure"
DEPTH_FOLD = "Depth: why a deep stack with the norm after the residual hardly trains"

TRAINING = "Training"
EXAMPLE = "Example"
KIND = "Kind"
LAYER = "Layer"
HEAD = "Head"
NO_SNAPSHOTS = (
    "There are no snapshots here",
    "python -m model.train digits --snapshot-every 250 writes them as it trains; they are read "
    "from the folder time-lapse beside the checkpoints.",
)
RUNNING_SNAPSHOTS = "Running the snapshots"
UNUSABLE_SNAPSHOTS = "These snapshots cannot be used"
NO_EXAMPLE = "No example"

LIVE_NOTE = (
    f"It learns to reverse digits: {SIZES['n_encoder_layers']} + {SIZES['n_decoder_layers']} "
    f"layers, d_model {SIZES['d_model']}, {SIZES['n_heads']} heads, about {PAIRS:,} pairs. On one "
    "free core it takes about half a minute. It trains in a process of its own that gives way to "
    "the pages, and goes on while you read another page."
)
LONGEST = f"{SHORTEST} digits to"
STEPS, WARMUP, FACTOR, SEED = "Steps", "Warm-up", "Factor", "Seed"
TRAIN = "Train"
TRAIN_ANOTHER = "Train a new model"
STOP = "Stop"
GO_ON = "Continue"
TRY_AGAIN = "Try again"
KEEP = "Keep as a checkpoint"
DOWNLOAD = "Download"
REMOVE = "Remove"
NOT_NOW = "Not now"
NOT_KEPT = "It was not kept"
KEPT = "Kept"
FAILED = "The training ended with an error"
ONE_AT_A_TIME = "You are already training a model: stop it, or wait until it is done."
ELSEWHERE = "Another Loupe on this computer is training this model."
LOST_HEADING = "The files of this training are gone"
LOST = (
    "Its folder was cleaned away, so it can neither continue nor be kept. What this page still "
    "remembers is shown below."
)
NOT_FOUND = (
    "The training of this link is not here any more",
    "It was removed, or made way for newer ones. You can train a new model.",
)
LEFT_HEADING = "Earlier trainings"
_STATUS = {
    "starting": "Starting its process",
    "training": "Training",
    "stopping": "Stopping after this step",
    "stopped": "Stopped",
    "finished": "Done",
    "failed": "Failed",
}

SCHEDULE_ALT = "learning rate by step under each schedule"
D_MODEL = "d_model"
AS_MODEL, AS_PAPER = "As for this model", "As in the paper"
AGAINST = "Compare with"

SMOOTHING_HEADING = "The target that training asks for, and what predictions then cost"
SMOOTHING_RANGE = "Label smoothing ε"
CORRECT_TOKEN = "Correct token"
TARGET_BAR, MODEL_BAR = "target", "this model"
BARS_ALT = "the target distribution and the model's own"
CURVE_ALT = "loss by the probability given to the correct token"
OVER_CONFIDENT = 0.9999
"""The probability whose price is told."""

DEPTH_RUNS = "Trainings"
DEPTH_NONE = "Choose a training to see it."
DEPTH_LOSS = "Loss"
DEPTH_LOSS_ALT = "loss by step of each training"
DEPTH_GRADIENTS = "How much of the gradient reaches each layer"
DEPTH_GRADIENTS_ALT = "norm of the gradient of each layer"
AT_STEP = "At step"


def answer(lapse: TimeLapse) -> str:
    """Say what a training came to, by its first snapshot and its last."""
    first, last = lapse.snapshots[0], lapse.snapshots[-1]
    said = f"By being corrected, {last.step:,} times over."
    place = max(last.scores.heads, key=last.scores.heads.__getitem__, default=None)
    if place is None or place not in first.scores.heads:
        before, after = (percent_text(each.scores.exact_match) for each in (first, last))
        return f"{said} At first {before} of what it writes is right, at the end {after}."
    before, after = (percent_text(each.scores.heads[place]) for each in (first, last))
    return (
        f"{said} Nobody told head {place[1]} where to look: at first it finds the right token "
        f"{before} of the time, at the end {after}."
    )


NO_ANSWER = (
    "By being corrected, step after step: the error of each token flows back into every head."
)


def lapse_heading(task: str) -> str:
    """Head a time-lapse with its task, which may not be that of the model in view."""
    return f"Time-lapse of a training: {_task_title(task)}" if task else LAPSE


def other_task(chosen: str) -> str:
    """Say that the model in view has nothing to do with the time-lapse."""
    return f"The model in view is for another task, {_task_title(chosen)}, and plays no part here."


def lapse_note(info: CheckpointInfo, steps: int, snapshots: int) -> str:
    """State what is played."""
    config = info.config
    return (
        f"{info.title}: {config.n_encoder_layers} + {config.n_decoder_layers} layers, "
        f"d_model {config.d_model}, {steps:,} steps in {snapshots} snapshots. "
        "Weights with the correct target given; what the model itself writes stands above."
    )


def no_example(task: str) -> str:
    """State that a time-lapse has nothing to be shown on."""
    return f"No sentence of the task {task} is known."


def progress_words(report: Report, plan: Plan) -> str:
    """State how far a training is."""
    parts = [f"{_STATUS[report.status]}: step {report.step:,} of {plan.steps:,}"]
    if report.seconds:
        parts.append(f"{report.seconds:.0f} s")
    if report.lapse and report.lapse.losses:
        parts.append(f"loss {fixed(report.lapse.losses[-1], 2)}")
    if report.lapse:
        exact = report.lapse.snapshots[-1].scores.exact_match
        parts.append(f"{100 * exact:.0f} % of held-out commands right")
    return " · ".join(parts)


def more_words(more: int) -> str:
    """Offer to go on: where the training stopped, or beyond its end."""
    return f"Continue for {more:,} more steps" if more else GO_ON


def full_words(places: int) -> str:
    """State that all places of the server are taken."""
    models = "1 model" if places == 1 else f"{places} models"
    return (
        f"This server trains at most {models} at a time, and no place is free: try again in half "
        "a minute."
    )


def not_written(error: OSError) -> str:
    """State that a training has no place on the disk."""
    return f"Its folder cannot be written: {error}"


def kept_words(name: str) -> str:
    """State where a kept model is."""
    return f"{name} is now among the checkpoints in the sidebar."


def open_words(name: str) -> str:
    """Offer to open a kept model."""
    return f"Open {name}"


def left_words(title: str, step: int, steps: int, exact_match: float, age: float) -> str:
    """Describe a training that no session shows."""
    state = "Interrupted" if step < steps else "Done"
    return (
        f"{title} · {state.lower()} at step {step:,} of {steps:,} · "
        f"{100 * exact_match:.0f} % of held-out commands right · {_age_words(age)} ago"
    )


def left_note(most: int, days: int) -> str:
    """State how long such trainings are there."""
    return (
        f"An interrupted training can continue where it stopped. The latest {most} are kept, for "
        f"up to {days} days."
    )


def swept_words(titles: Sequence[str]) -> tuple[str, str]:
    """State which trainings were removed to make room."""
    count = "One old training was" if len(titles) == 1 else f"{len(titles)} old trainings were"
    return f"{count} removed to make room", "; ".join(titles)


def schedule_words(setting: Setting) -> str:
    """State in numbers what the curves show."""
    first = SCHEDULES["Inverse square root, no warm-up"](1, setting)
    return (
        f"Noam rises for {setting.warmup:,} steps to {number_text(setting.peak)} = factor / "
        "√(d_model · warm-up), then falls with the inverse square root of the step. "
        f"Without a warm-up the same fall begins at {number_text(first)}, "
        f"{number_text(first / setting.peak)} times that peak, when Adam has hardly seen a "
        "gradient."
    )


def step_label(step: int, token: str) -> str:
    """Name a step by the token that it writes."""
    return f"step {step}: {token}"


def smoothing_words(
    size: int, smoothing: float, best: float, least: float, sure: float
) -> list[str]:
    """State in numbers what the figures show."""
    if not smoothing:
        return [
            "Without smoothing the loss keeps falling as the correct token gets more: there is no "
            "best probability."
        ]
    return [
        f"The target gives the correct token 1 − ε + ε/V = {fixed(best, 4)} and each of the other "
        f"{size - 1:,} tokens ε/V = {number_text(smoothing / size)}, with V = {size:,} tokens.",
        f"So the loss is least, {fixed(least, 3)} nats, where the correct token is given "
        f"{fixed(best, 4)} and the others share the rest evenly. It is not zero: it is the "
        f"entropy of the target. A prediction of {OVER_CONFIDENT} costs "
        f"{fixed(sure, 3)}: being surer costs more.",
        "The curve is the least that a prediction can cost. Tokens of this run lie above it by as "
        "much as their model spreads the rest unevenly.",
    ]


def depth_note(record: DepthRecord) -> str:
    """State what was recorded, and how it is named."""
    return (
        f"Recorded, not computed now: {record.task}, d_model {record.d_model}, {record.steps} "
        f"steps each, by {record.command}. Each name gives the place of the norm, and in how many "
        "steps the learning rate rises to which peak. A gradient's norm is that of all parameters "
        "of a layer together, on the batch of that step."
    )


def depth_words(record: DepthRecord, runs: Sequence[DepthRun], step: int) -> list[str]:
    """State what the recorded numbers show, from the deepest of each placement in view."""
    told = []
    for placement in ("post", "pre"):
        same = [run for run in runs if run.norm_placement == placement]
        if not same:
            continue
        run = max(same, key=lambda run: (run.layers, run.warmup))
        part = first_to_last(run, "decoder", step)
        told.append(
            f"{run.name}: at step {step} the lowest decoder layer gets {number_text(part)} times "
            f"the gradient of the highest; the loss ends at {fixed(run.losses[-1], 2)}, where "
            f"frequencies alone give {fixed(record.unigram_loss, 2)}."
        )
    if {run.norm_placement for run in runs} == {"post", "pre"}:
        told.append(
            "With the norm after the residual, each norm rescales the whole sum, the direct path "
            "included, so what flows back shrinks layer by layer. With the norm before it, the "
            "residual is a path that nothing rescales. The encoder fares better at first, as every "
            "layer of the decoder reads its output."
        )
    return told


def _task_title(task: str) -> str:
    return TASKS[task].title if task in TASKS else task


def _age_words(seconds: float) -> str:
    for size, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
    return "less than a minute"
