"""Fixtures: a short training and the snapshots that it wrote. No test changes them."""

from pathlib import Path

import pytest

from model.training.session import TrainingSession
from viz.subjects.training import plan as plans
from viz.subjects.training.plan import Plan, make_corpus, make_trainer


@pytest.fixture(scope="session")
def series(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Train for 12 steps; return the snapshots at steps 0, 2 and 12."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plans, "PAIRS", 300)
        plan = Plan(longest=6, steps=12, warmup=5, factor=0.5)
        corpus = make_corpus(plan)
        trainer, info = make_trainer(plan, corpus)
    folder = tmp_path_factory.mktemp("time-lapse")
    session = TrainingSession(trainer, info, folder, corpus.held_out[:5])
    paths = []
    for step in range(13):
        if step in (0, 2, 12):
            paths.append(folder / f"tiny-{step:06d}")
            session.write_checkpoint(paths[-1].name, session.evaluate())
        session.losses.append(trainer.step().loss)
    return tuple(paths)
