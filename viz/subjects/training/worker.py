"""The process that trains for a page: `python -m viz.subjects.training.worker FOLDER`.

Reads the plan in the folder, goes on where an earlier one stopped there, and writes what happens to
its output, a JSON value a line. A line on its input, or the input's end, makes it stop.
"""

import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from model.training_session import TrainingSession
from viz.subjects.training.plan import Corpus, Plan, make_corpus, make_trainer
from viz.subjects.training.time_lapse import Scores, attention_masks, take_snapshot
from viz.subjects.training.wire import Setup, pack_setup, pack_snapshot

REPORT_EVERY = 10
"""Steps whose mean loss is told."""
_NICENESS = 10
"""Of the process: the pages come first."""

Tell = Callable[[dict[str, Any]], None]


def main() -> None:
    """Train in the folder that the argument names."""
    torch.set_num_threads(1)
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    asked = threading.Event()
    threading.Thread(target=_wait_for_input, args=(asked,), daemon=True).start()
    train(Path(sys.argv[1]), asked.is_set, _print)


def train(folder: Path, is_asked: Callable[[], bool], tell: Tell) -> None:
    """Train until the plan is done or someone asks to stop; then write state and checkpoint."""
    plan = Plan.read(folder)
    corpus = make_corpus(plan)
    trainer, info = make_trainer(plan, corpus)
    session = TrainingSession(trainer, info, folder, corpus.held_out)
    if session.state_path.with_suffix(".state.json").exists():
        session.load_state()
    else:
        _look(session, corpus, tell)
    while trainer.step_count < plan.steps and not is_asked():
        progress = trainer.step()
        session.losses.append(progress.loss)
        if progress.step % REPORT_EVERY == 0:
            latest = session.losses[-REPORT_EVERY:]
            tell({"step": progress.step, "loss": sum(latest) / len(latest)})
        if progress.step % plan.snapshot_every == 0:
            _look(session, corpus, tell)
    if trainer.step_count:  # before the first step there is nothing to go on from
        session.save_state()
    session.write_checkpoint(info.name, session.evaluate())
    tell({"ended": trainer.step_count})


def _look(session: TrainingSession, corpus: Corpus, tell: Tell) -> None:
    """Tell how the model does as it is now; before the first step also what it is shown on."""
    found = session.evaluate()
    step = session.trainer.step_count
    session.exact_matches.append((step, found.exact_match))
    snapshot, trace = take_snapshot(
        session.trainer.model,
        corpus.tokenizers,
        corpus.shown,
        step,
        Scores.of(found.to_dict()),
    )
    if step == 0:
        source = corpus.tokenizers.source.tokens(corpus.shown.source)
        target = corpus.tokenizers.target.tokens(corpus.shown.target)
        tell({"setup": pack_setup(Setup(source, target, attention_masks(trace)))})
    tell({"snapshot": pack_snapshot(snapshot, found)})


def _wait_for_input(asked: threading.Event) -> None:
    sys.stdin.readline()
    asked.set()


def _print(values: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
