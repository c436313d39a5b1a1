"""A training for the page: it reports its progress, and leaves a checkpoint at the end."""

import time
from collections.abc import Callable
from pathlib import Path

from model.training.evaluation import Evaluation, evaluate
from model.training.session import TrainingSession
from viz.subjects.training.messages import Setup, pack_setup, pack_snapshot
from viz.subjects.training.plan import Plan, make_corpus, make_trainer
from viz.subjects.training.time_lapse import Scores, attention_masks, take_snapshot
from viz.work.worker import Tell

REPORT_EVERY = 10
"""The number of steps whose mean loss is reported."""


def train(plan: Plan, folder: Path, is_asked: Callable[[], bool], tell: Tell) -> int:
    """Train until the plan is done or someone asks to stop; return the last step."""
    corpus = make_corpus(plan)
    trainer, info = make_trainer(plan, corpus)
    session = TrainingSession(trainer, info, folder, corpus.held_out)

    def look() -> Evaluation:
        """Report the scores of the model; before the first step also the facts on the task."""
        step, found = trainer.step_count, evaluate(trainer.model, corpus.held_out)
        session.exact_matches.append((step, found.exact_match))
        scores, tokenizers = Scores.of(found.to_dict()), corpus.tokenizers
        snapshot, trace = take_snapshot(trainer.model, tokenizers, corpus.shown, step, scores)
        if step == 0:
            source = tokenizers.source.tokens(corpus.shown.source)
            target = tokenizers.target.tokens(corpus.shown.target)
            tell({"setup": pack_setup(Setup(source, target, attention_masks(trace)))})
        tell({"snapshot": pack_snapshot(snapshot, found)})
        return found

    begun = time.monotonic()
    latest = look()
    while trainer.step_count < plan.steps and not is_asked():
        progress = trainer.step()
        session.losses.append(progress.loss)
        if progress.step % REPORT_EVERY == 0:
            loss = sum(session.losses[-REPORT_EVERY:]) / REPORT_EVERY
            seconds = time.monotonic() - begun
            tell({"step": progress.step, "loss": loss, "seconds": seconds})
        if progress.step % plan.snapshot_every == 0:
            latest = look()
    if trainer.step_count % plan.snapshot_every:
        latest = look()
    session.write_checkpoint(info.name, latest)
    return trainer.step_count
