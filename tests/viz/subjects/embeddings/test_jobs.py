import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from viz.subjects.embeddings import jobs
from viz.subjects.embeddings.jobs import Job, Projector
from viz.subjects.embeddings.projection import PCA, TSNE, project

VECTORS = np.random.default_rng(0).normal(size=(30, 6)).astype(np.float32)
QUICK = TSNE(perplexity=4, iterations=250)
ENDLESS = (sys.executable, "-c", "import sys, time; sys.stdin.buffer.read(); time.sleep(600)")
BROKEN = (sys.executable, "-c", "raise SystemExit(3)")


def ended(job: Job, limit: float = 60) -> Job:
    return waited(job, lambda: job.ended, limit)


def waited(job: Job, until, limit: float = 60) -> Job:
    end = time.monotonic() + limit
    while not until():
        assert time.monotonic() < end, f"still {job.status}"
        time.sleep(0.02)
    return job


def running(projector: Projector, settings=QUICK) -> Job:
    job = projector.job(VECTORS, settings)
    return waited(job, lambda: job.process is not None)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_process_gives_what_a_call_gives():
    job = ended(Projector().job(VECTORS, QUICK))
    assert (job.status, job.problem) == ("done", "")
    np.testing.assert_allclose(job.projection.points, project(VECTORS, QUICK).points, atol=1e-3)
    assert (job.done, job.total) == (250, 250)
    waited(job, lambda: not is_alive(job.process.pid))
    seconds = job.seconds
    assert job.seconds == seconds > 0


def test_a_pca_needs_no_process():
    job = Projector(BROKEN).job(VECTORS, PCA())
    assert (job.status, job.process) == ("done", None)
    np.testing.assert_array_equal(job.projection.points, project(VECTORS, PCA()).points)


def test_stop_ends_the_process():
    job = running(Projector(ENDLESS))
    assert is_alive(job.process.pid)
    job.stop()
    assert job.status == "stopped"
    assert job.process.returncode is not None
    assert not is_alive(job.process.pid)


def test_stop_ends_a_real_computation():
    job = Projector().job(VECTORS.repeat(20, axis=0), TSNE(3, iterations=2000))
    waited(job, lambda: job.done > 0)
    job.stop()
    assert job.status == "stopped"
    assert not is_alive(job.process.pid)
    assert job.projection is None


def test_one_that_was_stopped_starts_again():
    projector = Projector(ENDLESS)
    first = running(projector)
    first.stop()
    second = running(projector)
    assert second is not first
    assert is_alive(second.process.pid)
    second.stop()


def test_a_visitor_who_leaves_stops_it_unless_another_waits(monkeypatch):
    job = running(Projector(ENDLESS))
    job.watch("one")
    job.watch("two")
    assert not job.leave("one")
    assert is_alive(job.process.pid)
    assert job.leave("two")
    assert not is_alive(job.process.pid)

    job = running(Projector(ENDLESS))
    job.watch("gone")
    job.watch("here")
    monkeypatch.setattr(jobs, "_GONE_AFTER", 0.0)
    assert job.leave("here")
    assert not is_alive(job.process.pid)


def test_equal_projections_are_computed_once_and_others_are_not():
    projector = Projector()
    job = projector.job(VECTORS, PCA())
    assert projector.job(VECTORS.copy(), PCA()) is job
    assert projector.job(VECTORS, PCA(3)) is not job
    assert projector.job(VECTORS + 1, PCA()) is not job
    assert projector.job(VECTORS.reshape(60, 3), PCA()) is not job


def test_the_latest_are_kept(monkeypatch):
    monkeypatch.setattr(jobs, "KEPT", 2)
    projector = Projector()
    first, second = (projector.job(VECTORS + i, PCA()) for i in range(2))
    assert projector.job(VECTORS, PCA()) is first
    projector.job(VECTORS + 2, PCA())
    assert projector.job(VECTORS, PCA()) is first
    assert projector.job(VECTORS + 1, PCA()) is not second


def test_only_so_many_run_at_a_time():
    projector = Projector(ENDLESS)
    first, second, third = (projector.job(VECTORS, TSNE(seed=seed)) for seed in range(3))
    for job in (first, second):
        waited(job, lambda job=job: job.status == "running")
    time.sleep(0.3)
    assert (third.status, third.process) == ("waiting", None)
    first.stop()
    waited(third, lambda: third.status == "running")
    for job in (second, third):
        job.stop()


def test_one_that_waits_can_be_stopped():
    turns, job = threading.Semaphore(0), Job(("digest", QUICK), VECTORS)
    thread = threading.Thread(target=job.compute, args=(turns, ENDLESS))
    thread.start()
    job.stop()
    thread.join(10)
    assert not thread.is_alive()
    assert (job.status, job.process) == ("stopped", None)


def test_says_what_cannot_be_projected():
    job = ended(Projector().job(VECTORS, TSNE(perplexity=50)))
    assert job.status == "failed"
    assert "perplexity" in job.problem.lower()
    assert "at least 4 points, got 3" in Projector().job(VECTORS[:3], PCA()).problem


def test_says_that_the_process_died():
    job = ended(Projector(BROKEN).job(VECTORS, QUICK))
    assert (job.status, job.problem) == ("failed", "its process ended with status 3")


def test_the_process_ends_when_nobody_reads():
    script = (
        "import pickle, subprocess, sys, numpy as np\n"
        "from viz.subjects.embeddings.jobs import WORKER\n"
        "from viz.subjects.embeddings.projection import TSNE\n"
        "p = subprocess.Popen(WORKER, stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "vectors = np.random.default_rng(0).normal(size=(900, 6)).astype(np.float32)\n"
        "pickle.dump((vectors, TSNE(3, iterations=2000)), p.stdin)\n"
        "p.stdin.close()\n"
        "pickle.load(p.stdout)\n"
        "print(p.pid, flush=True)\n"
        "import os; os._exit(0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    pid = int(done.stdout)
    end = time.monotonic() + 60
    while is_running(pid):
        assert time.monotonic() < end
        time.sleep(0.1)


def is_running(pid: int) -> bool:
    """A zombie does not run: nobody may be there to collect it."""
    probe = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False)
    return bool(probe.stdout.strip()) and not probe.stdout.startswith(b"Z")


@pytest.mark.parametrize("module", ["streamlit", "torch", "sklearn", "umap", "plotly"])
def test_the_projection_imports_nothing_slow_before_it_is_needed(module):
    script = f"import sys, viz.subjects.embeddings.worker; sys.exit('{module}' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
