import subprocess
import sys

import numpy as np
import pytest

from tests.processes import is_running, is_there, python, until
from viz.subjects.embeddings import jobs
from viz.subjects.embeddings.cache import project_here
from viz.subjects.embeddings.jobs import Projector
from viz.subjects.embeddings.messages import (
    pack_projection,
    pack_request,
    read_projection,
    read_request,
)
from viz.subjects.embeddings.projection import PCA, TSNE, UMAP, project
from viz.work.job import Job
from viz.work.messages import from_line, to_line
from viz.work.worker_pool import Crew

VECTORS = np.random.default_rng(0).normal(size=(30, 6)).astype(np.float32)
QUICK = TSNE(perplexity=4, iterations=250)
ENDLESS = python("import sys, time; sys.stdin.buffer.readline(); time.sleep(600)")


def make(command: tuple[str, ...] | None = None) -> Projector:
    return Projector(Crew(2, lambda _: True, 30.0), command)


def running(projector: Projector, settings=QUICK, owner: str = "one") -> Job:
    job = projector.job(VECTORS, settings, owner)
    until(lambda: job.status == "running")
    return job


@pytest.mark.slow
def test_a_process_gives_what_a_call_gives():
    job = make().job(VECTORS, QUICK, "one")
    until(lambda: job.ended)
    assert (job.status, job.problem) == ("done", "")
    found, expected = read_projection(job.result), project(VECTORS, QUICK)
    np.testing.assert_allclose(found.points, expected.points, atol=1e-3)
    assert (found.trust, found.trust_neighbours) == pytest.approx((expected.trust, 10), abs=1e-3)
    assert job.progress == (250, 250)
    assert not is_there(job.process.pid)


@pytest.mark.parametrize("settings", [PCA(3), TSNE(learning_rate=2.5, seed=3), UMAP(3, 7)])
def test_what_is_asked_for_arrives(settings):
    vectors, asked = read_request(from_line(to_line(pack_request(VECTORS, settings))))
    np.testing.assert_array_equal(vectors, VECTORS)
    assert asked == settings


def test_a_projection_arrives_as_it_was():
    sent = project(VECTORS, PCA(3))
    came = read_projection(from_line(to_line(pack_projection(sent))))
    np.testing.assert_array_equal(came.points, sent.points)
    np.testing.assert_array_equal(came.explained, sent.explained)
    assert (came.trust, came.trust_neighbours) == (sent.trust, sent.trust_neighbours)


def test_a_pca_needs_no_process_and_is_computed_once():
    found = project_here(VECTORS, PCA())
    np.testing.assert_array_equal(found.points, project(VECTORS, PCA()).points)
    assert project_here(VECTORS.copy(), PCA()) is found
    assert project_here(VECTORS, PCA(3)) is not found
    assert project_here(VECTORS + 1, PCA()) is not found
    assert project_here(VECTORS.reshape(60, 3), PCA()) is not found
    with pytest.raises(ValueError, match="at least 4 points, got 3"):
        project_here(VECTORS[:3], PCA())


def test_stop_ends_a_real_computation():
    job = make().job(VECTORS.repeat(20, axis=0), TSNE(3, iterations=2000), "one")
    until(lambda: job.progress[0] > 0)
    job.stop()
    assert (job.status, job.result) == ("stopped", None)
    assert not is_there(job.process.pid)


def test_sessions_share_equal_projections_and_the_last_to_leave_stops_it():
    projector = make(ENDLESS)
    job = running(projector)
    assert projector.job(VECTORS.copy(), QUICK, "two") is job
    projector.leave(job, "one")
    assert is_running(job.process.pid)
    projector.leave(job, "two")
    assert not is_there(job.process.pid)


def test_the_latest_are_kept(monkeypatch):
    monkeypatch.setattr(jobs, "KEPT", 2)
    projector = make(python("import sys; print('{\"done\": 1}'); sys.stdin.readline()"))

    def find(seed: int) -> Job:
        job = projector.job(VECTORS, TSNE(seed=seed), "one")
        until(lambda: job.ended)
        return job

    first, second = find(1), find(2)
    assert find(1) is first
    find(3)
    assert find(1) is first
    assert find(2) is not second


def test_the_projection_imports_nothing_slow_before_it_is_needed():
    slow = {"streamlit", "torch", "sklearn", "umap", "plotly"}
    script = f"import sys, viz.subjects.embeddings.worker; assert not {slow!r} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", script], check=True)
