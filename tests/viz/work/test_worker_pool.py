import signal
import subprocess
import time

import pytest

from tests.processes import is_running, is_there, python, server, until
from viz.work.job import Job
from viz.work.worker_pool import NoPlaceError, WorkerPool

ANSWERS = """
import threading
from viz.work.worker import serve

def work(request, tell, asked):
    tell({"progress": [1, 2]})
    tell({"half": request["number"] / 2})
    return {"double": 2 * request["number"]}

serve(work)
"""
WAITS = """
import threading
from viz.work.worker import serve

def work(request, tell, asked):
    tell({"progress": [1, 0]})
    asked.wait()
    return "put away"

serve(work, grace=30)
"""
ENDLESS = "import sys, time; sys.stdin.buffer.readline(); time.sleep(600)"
"""A worker that never answers."""
DEAF = "import time; time.sleep(600)"
"""A worker that does not even read its input."""


def make(script: str, *, owner: str = "one", **more) -> Job:
    return Job("none", {"number": 21}, owners={owner}, command=python(script), **more)


@pytest.fixture
def here() -> set[str]:
    """Return the names of the sessions that are open."""
    return {"one", "two"}


@pytest.fixture
def pool(here):
    made = WorkerPool(2, here.__contains__, gone_after=0.3)
    yield made
    for job in made.jobs():
        job.kill()


def running(job: Job) -> Job:
    until(lambda: job.status == "running")
    return job


def test_a_job_tells_what_happens_and_ends_with_its_result(pool):
    heard = []
    job = pool.start(make(ANSWERS, hear=heard.append))
    until(lambda: job.ended)
    assert (job.status, job.problem, job.result) == ("done", "", {"double": 42})
    assert job.progress == (1, 2)
    assert heard == [{"half": 10.5}]
    assert not is_there(job.process.pid)
    assert job.seconds == job.seconds > 0
    until(lambda: not pool.jobs())


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("raise SystemExit(3)", "its process ended with status 3"),
        ("import sys; sys.exit('there is no disk left')", "there is no disk left"),
        (ANSWERS.replace("/ 2", "/ 0"), "division by zero"),
        ("print('not a message', flush=True); import time; time.sleep(600)", "Expecting value"),
    ],
)
def test_a_failure_says_why(pool, script, problem):
    job = pool.start(make(script))
    until(lambda: job.ended)
    assert job.status == "failed"
    assert problem in job.problem
    assert not is_there(job.process.pid)


def test_a_program_that_is_not_there_says_so(pool):
    job = pool.start(Job("none", {}, owners={"one"}, command=("/no/such/program",)))
    until(lambda: job.ended)
    assert (job.status, "No such file" in job.problem) == ("failed", True)
    until(lambda: not pool.jobs())


def test_stop_ends_it_at_once_and_leaves_no_zombie(pool):
    job = running(pool.start(make(ENDLESS)))
    assert is_running(job.process.pid)
    job.stop()
    assert job.status == "stopped"
    assert not is_there(job.process.pid)


def test_one_with_something_to_put_away_ends_by_itself(pool):
    job = pool.start(make(WAITS, grace=30.0))
    until(lambda: job.progress == (1, 0))
    job.stop()
    assert job.status in ("stopping", "done")
    until(lambda: job.ended)
    assert (job.status, job.result) == ("done", "put away")


def test_one_that_does_not_stop_in_time_is_ended(pool):
    job = running(pool.start(make(DEAF, grace=0.2)))
    job.stop()
    until(lambda: job.ended)
    assert job.status == "stopped"
    assert not is_there(job.process.pid)


def test_only_so_many_run_at_a_time_and_the_first_come_first(pool):
    first, second, third, fourth = (pool.start(make(ENDLESS)) for _ in range(4))
    running(first), running(second)
    time.sleep(0.5)
    assert (third.status, third.process, fourth.status) == ("waiting", None, "waiting")
    first.stop()
    running(third)
    assert fourth.status == "waiting"
    fourth.stop()
    assert (fourth.status, fourth.process) == ("stopped", None)
    until(lambda: pool.jobs() == [second, third])


def test_a_job_that_cannot_wait_is_refused(pool):
    first, second = (pool.start(make(ENDLESS), wait=False) for _ in range(2))
    with pytest.raises(NoPlaceError):
        pool.start(make(ENDLESS), wait=False)
    assert pool.jobs() == [first, second]


def test_a_session_that_leaves_stops_it_unless_another_wants_it(pool, here):
    job = running(pool.start(make(ENDLESS)))
    job.join("two")
    job.leave("one", pool.present)
    assert is_running(job.process.pid)
    job.leave("two", pool.present)
    assert job.status == "stopped"

    job = running(pool.start(make(ENDLESS)))
    job.join("two")
    here.discard("two")
    job.leave("one", pool.present)
    assert job.status == "stopped"


def test_jobs_end_by_the_clock_when_their_session_is_gone(pool, here):
    """No job prints anything and one has not even begun; the pool does not wait for output."""
    here.add("other")
    jobs = [pool.start(make(ENDLESS)), pool.start(make(DEAF)), pool.start(make(DEAF))]
    kept = pool.start(make(ENDLESS, owner="other"))
    running(jobs[0]), running(jobs[1])
    here.discard("one")
    until(lambda: all(job.ended for job in jobs))
    assert {job.status for job in jobs} == {"stopped"}
    running(kept)
    time.sleep(0.6)
    assert kept.status == "running"


@pytest.mark.slow
def test_a_session_that_comes_back_in_time_keeps_its_job(here):
    pool = WorkerPool(1, here.__contains__, gone_after=2.0)
    job = running(pool.start(make(ENDLESS)))
    here.discard("one")
    time.sleep(0.5)
    here.add("one")
    time.sleep(2.5)
    assert job.status == "running"
    job.kill()


SERVER = """
import sys
from viz.work.worker_pool import WorkerPool
from viz.work.job import Job

job = Job("none", {{}}, owners={{"one"}}, command=(sys.executable, "-c", {worker!r}), grace={grace})
WorkerPool(1, lambda session: True, 30).start(job)
while not (job.process and job.progress != (0, 0)):
    pass
print(job.process.pid, flush=True)
sys.stdin.read()
"""
BUSY = """
from viz.work.worker import serve

def work(request, tell, asked):
    tell({"progress": [1, 0]})
    while True:
        sum(range(1000))

serve(work)
"""


@pytest.mark.parametrize(("worker", "grace"), [(BUSY, 0.0), (WAITS, 30.0)])
def test_a_process_ends_with_its_server(worker, grace):
    with server(SERVER.format(worker=worker, grace=grace)) as parent:
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.send_signal(signal.SIGKILL)
        until(lambda: not is_running(pid), 20)


def test_a_process_ends_when_nobody_reads_and_says_nothing(tmp_path):
    """Both ends of the pipe close at once, and the process ends without a traceback."""
    errors = tmp_path / "errors"
    with errors.open("w") as stream:
        process = subprocess.Popen(
            python(WAITS), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stream
        )
        process.stdin.write(b"{}\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.close()
        process.wait(60)
    assert errors.read_text() == ""
