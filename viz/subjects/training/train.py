"""A training in a folder: it goes on where it was left, and puts away all that going on needs."""

import time
from collections.abc import Callable
from pathlib import Path

from model.files.lock import locked
from model.training.evaluation import Evaluation, evaluate
from model.training.session import TrainingSession
from viz.subjects.training.folder import Record, lock_file
from viz.subjects.training.messages import Setup, pack_setup, pack_snapshot
from viz.subjects.training.plan import Plan, make_corpus, make_trainer
from viz.subjects.training.time_lapse import Scores, attention_masks, take_snapshot
from viz.work.messages import Message
from viz.work.worker import Tell

REPORT_EVERY = 10
"""Steps whose mean loss is told."""


def train(folder: Path, is_asked: Callable[[], bool], tell: Tell) -> int:
    """Train until the plan is done or someone asks to stop; return the step that it came to.

    What is told is also recorded in the folder. State and checkpoint are written at every look at
    the model, and at the end. Raises LockedError where another process trains there.
    """
    with locked(lock_file(folder)):
        return _Training(folder, tell).run(is_asked)


class _Training:
    def __init__(self, folder: Path, tell: Tell) -> None:
        self.plan = Plan.read(folder)
        self.corpus = make_corpus(self.plan)
        self.trainer, info = make_trainer(self.plan, self.corpus)
        self.session = TrainingSession(self.trainer, info, folder, self.corpus.held_out)
        self.record = Record(folder)
        self._tell = tell

    def run(self, is_asked: Callable[[], bool]) -> int:
        begun = time.monotonic() - self._take_up()
        trainer, losses = self.trainer, self.session.losses
        while trainer.step_count < self.plan.steps and not is_asked():
            progress = trainer.step()
            losses.append(progress.loss)
            if progress.step % REPORT_EVERY == 0:
                latest = losses[-REPORT_EVERY:]
                loss = sum(latest) / len(latest)
                seconds = time.monotonic() - begun
                self.tell({"step": progress.step, "loss": loss, "seconds": seconds})
            if progress.step % self.plan.snapshot_every == 0:
                self._look()
        if trainer.step_count % self.plan.snapshot_every:
            self.session.save_state()
            self.session.write_checkpoint(self.session.info.name, self._score())
        self.tell({"ended": trainer.step_count})
        return trainer.step_count

    def tell(self, message: Message) -> None:
        """Record what happens, and tell it."""
        self.record.add(message)
        self._tell(message)

    def _take_up(self) -> float:
        """Go on where the folder's state was left, if there is one; return the seconds so far."""
        if self.session.state_path.with_suffix(".state.json").exists():
            self.session.load_state()
        step = self.trainer.step_count
        kept = self.record.cut(step)
        self._tell({"resumed": step})
        if not step:
            self._look()
        return max((message.get("seconds", 0.0) for message in kept), default=0.0)

    def _score(self) -> Evaluation:
        return evaluate(self.trainer.model, self.corpus.held_out)

    def _look(self) -> None:
        """Report how the model does now; before the first step also what it is shown on."""
        session, corpus, step = self.session, self.corpus, self.trainer.step_count
        found = self._score()
        session.exact_matches.append((step, found.exact_match))
        scores = Scores.of(found.to_dict())
        snapshot, trace = take_snapshot(
            self.trainer.model, corpus.tokenizers, corpus.shown, step, scores
        )
        if step == 0:
            source = corpus.tokenizers.source.tokens(corpus.shown.source)
            target = corpus.tokenizers.target.tokens(corpus.shown.target)
            self.tell({"setup": pack_setup(Setup(source, target, attention_masks(trace)))})
        self.tell({"snapshot": pack_snapshot(snapshot, found)})
        if step:  # before the first step there is nothing to go on from
            session.save_state()
        session.write_checkpoint(session.info.name, found)
