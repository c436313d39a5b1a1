"""Texts of the page on variants that stand around what was measured."""

from collections.abc import Mapping, Sequence

QUESTION = "What if the paper had done it otherwise?"
SIDE_BY_SIDE = "Side by side"
OUTPUTS_FOLD = "The same sentence through each: what they write, and how they were scored"
DIFFERENCES_FOLD = "How they differ: every choice, and where on the map it acts"
HEADS_FOLD = "One head in each"
CONVERT_FOLD = "Convert this checkpoint: the same mathematics in another form"
PLACEHOLDER = "Choose two or more variants"
TWO_NEEDED = ("Two are needed", "Choose at least two variants to compare.")
OUTPUTS_HEADER = ("", "writes", "exact match", "loss, nats a token", "best head")
OUTPUTS_NOTE = (
    "Each token is shown with its probability. Exact match, loss and best head were measured on "
    "held-out sentences when the checkpoint was trained; the loss is that of the correct target "
    "given to the decoder."
)
NO_WORDS = "(no words)"
NOT_SCORED, NONE_SCORED = "not scored", "none scored"
READS_AHEAD = (
    "Without a causal mask it learned to read each next token off the target; while it writes "
    "there is none to read."
)
NOT_THE_PAPERS = "not as in the paper"
COLOURED = "Coloured: not as in the paper. Read from the configs of the checkpoints."
SHOW_MAPS = "Show where on the map"
SELECTED, BEST = "The selected head", "The best head of each"
SAME_TARGET = "Give all the same target"
SAME_TARGET_HELP = (
    "Each decoder reads what the first of them wrote, so that all have the same rows."
)
HEADS_NOTE = (
    "Heads of two trainings have nothing in common but their number: which head does what was left "
    "to chance. The best is the one that looks at the right source token most often, on held-out "
    "sentences."
)
DEMONSTRATIONS = "What each difference does, measured now"
MEASURING = "Measuring"
CANNOT_RUN = "This text cannot be run"
CONVERT_NOTE = (
    "Some variants are the same mathematics in another form: with their weights changed to fit, "
    "they give the same outputs. Others are not, whatever the weights."
)
CONVERT_PLACEHOLDER = "Choose what it is to become"
CONVERTING = "Converting"
OTHER_MATHEMATICS = "Not the same mathematics: no weights give these outputs."
MEASURED_ON = "Both on the sentence in view, largest difference"
MEASURED_ROWS = (
    "logits",
    "logits after log-softmax",
    "probabilities, from what each hands on",
)
ONE_VARIANT = "Why not with your sentence"


def outputs_note(unmasked: Sequence[str]) -> str:
    """Say what the numbers beside the outputs are, and what they are not without a causal mask."""
    if not unmasked:
        return OUTPUTS_NOTE
    names = " and ".join(unmasked)
    return (
        f"{OUTPUTS_NOTE} In {names} no causal mask hides the rest of that target, so this loss is "
        "that of tokens which the decoder could already read. The probabilities beside the tokens, "
        "and the losses on Decoding, are of steps that read only the tokens before them: they are "
        "not comparable with it."
    )


def cannot_run(variant: str) -> str:
    """Head the reason for which a variant cannot run a text."""
    return f"{variant} cannot run this"


def needs(variants: Sequence[str]) -> tuple[str, str]:
    """Say whose checkpoints are missing, as people call them."""
    return "Not here", f"This needs a checkpoint of {', '.join(variants)}."


def nothing_to_compare(task: str, variant: str, measured: str | None) -> str:
    """Say that a task has one variant, and which task is measured in its place.

    Args:
        task: The one in view.
        variant: The only one that it has, as people call it.
        measured: The task with most variants; None where none has several.
    """
    said = f"{task} was trained in one variant alone: {variant}."
    if measured is None:
        return f"{said} There is nothing to compare it with."
    return f"{said} So what you see above was measured on {measured}."


def go_to(task: str, count: int) -> str:
    """Offer the task that has most variants."""
    return f"Go to {task}, which has {count} variants"


def answer(paper: str, written: Mapping[str, str]) -> str:
    """Say what other choices make of the sentence.

    Args:
        paper: What the paper's variant writes.
        written: What each other variant writes, by what people call it.
    """
    same = sum(text == paper for text in written.values())
    others = [f"{name} writes {_quoted(text)}" for name, text in written.items() if text != paper]
    said = f"{len(written)} write-ups of the paper chose otherwise. "
    if not others:
        return f"{said}All of them write here what the paper's model writes."
    listed = " and ".join(others[:2]) + (", and others differ too" if others[2:] else "")
    if not same:
        return f"{said}None of them writes here what the paper's model writes: {listed}."
    count = "One of them writes" if same == 1 else f"{same} of them write"
    return f"{said}{count} here what the paper's model writes; {listed}."


def on_another_task(task: str, source: str) -> str:
    """Say whose checkpoints are measured where the task in view has one variant."""
    return f"Measured on {task}, with its own example: {_quoted(source)}"


def _quoted(text: str) -> str:
    return f"“{text}”" if text else "nothing at all"
