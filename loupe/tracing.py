"""Runs a model once and keeps what it computed."""

from loupe.run import Run, Tokens
from model.checkpoint import Checkpoint
from sample_data.tasks import task_languages
from viz.run.record import make_run


def trace(model: Checkpoint, text: str, *, target: str | None = None) -> Run:
    """Run a model once on a text and record what it computes."""
    found = make_run(model, text, target=target or "")
    return Run(
        trace=found.trace,
        tokens=Tokens(found.source.tokens, found.target_tokens),
        text=found.text,
        given=found.given,
        languages=task_languages(found.info.task),
        model=found.info.name,
        origin="own",
        differs=0.0,
    )
