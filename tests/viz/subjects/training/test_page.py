import errno
import re
import shutil
import sys
import time

import pytest
from streamlit.testing.v1 import AppTest

from model.checkpoints import checkpoint as files
from model.training.session import TrainingSession
from tests.checkpoints import write_checkpoints
from tests.pages import ok, open_page, sent, texts
from viz.models.own_checkpoints import kept_names
from viz.subjects.training import actions, cache
from viz.subjects.training import plan as plans
from viz.subjects.training.plan import Plan, make_corpus, make_trainer


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory):
    """Write a folder of checkpoints with snapshots of a training of two steps."""
    folder = write_checkpoints(tmp_path_factory.mktemp("checkpoints"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plans, "PAIRS", 300)
        plan = Plan(longest=6, steps=2, warmup=2)
        corpus = make_corpus(plan)
        trainer, info = make_trainer(plan, corpus)
    session = TrainingSession(trainer, info, folder / "time-lapse", corpus.held_out[:3])
    for step in range(3):
        session.write_checkpoint(f"tiny-{step:06d}", session.evaluate())
        session.losses.append(trainer.step().loss)
    return folder


@pytest.fixture(autouse=True)
def _folders(snapshots, tmp_path, monkeypatch):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(snapshots))
    monkeypatch.setenv("LOUPE_KEPT", str(tmp_path / "kept"))
    yield
    for job in cache.trainings().pool.jobs():
        job.kill()
    cache.trainings.clear()


def lapse(page: AppTest) -> dict:
    """Return the player's metadata."""
    (data,) = sent(page, "lapse")
    return data["meta"]


@pytest.mark.slow
def test_it_opens_with_the_snapshots():
    page = open_page("training")
    assert "in 3 snapshots" in texts(page)
    assert "is for another task, Everyday English to French" in texts(page)
    assert page.expander[0].label.startswith("Time\\-lapse of a training\\: Digits")
    said = re.sub(r"<[^>]+>", "", texts(page))
    assert "How did the heads learn to read reverse 3 1 4 1 5 9?" in said
    assert "Nobody told head" in said
    shown = lapse(page)
    assert shown["steps"] == [0, 1, 2]
    assert shown["kind"] == "cross-attention"
    assert shown["at"] is None
    assert page.selectbox(key="lapse_example").options == [
        "reverse 3 1 4 1 5 9",
        "reverse 1 2 3 4 5 6 7 8 9 0 1 2",
    ]


@pytest.mark.slow
def test_a_link_restores_sentence_head_and_place():
    page = open_page(
        "training",
        lapse_example="reverse 1 2 3 4 5 6 7 8 9 0 1 2",
        lapse_kind="encoder self-attention",
        lapse_head="2",
        snapshot="1",
    )
    shown = lapse(page)
    assert (shown["kind"], shown["head"], shown["at"]) == ("encoder self-attention", 2, 1)
    assert "to read <em" in texts(page)
    assert "reverse 1 2 3 4 5 6 7 8 9 0 1 2</em>?" in texts(page)
    assert len(shown["rowTokens"]) == 14
    assert lapse(open_page("training", snapshot="<script>"))["at"] is None


def test_a_link_to_a_part_opens_that_part_alone():
    page = open_page("training", part_training="live")
    assert "live_steps" in page.session_state
    assert not sent(page, "lapse")
    names = [f"more_training_{name}" for name in ("lapse", "live")]
    assert sum(name in page.session_state and page.session_state[name] for name in names) == 1


def test_without_snapshots_it_says_where_they_come_from(tmp_path, snapshots, monkeypatch):
    for path in snapshots.glob("everyday-paper.*"):
        shutil.copy(path, tmp_path)
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(tmp_path))
    assert "No snapshots here" in texts(open_page("training"))


def test_a_broken_snapshot_is_reported(tmp_path, snapshots, monkeypatch):
    shutil.copytree(snapshots, tmp_path / "broken")
    (tmp_path / "broken" / "time-lapse" / "tiny-000001.safetensors").write_bytes(b"no weights")
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(tmp_path / "broken"))
    assert "These snapshots cannot be used" in texts(open_page("training"))


def until(page: AppTest, words: str) -> AppTest:
    """Run the page again until its progress shows these words."""
    end = time.monotonic() + 90
    while words not in page.get("progress")[0].proto.text:
        assert time.monotonic() < end, page.get("progress")[0].proto.text
        time.sleep(0.2)
        page = ok(page.run())
    return page


@pytest.mark.slow
def test_a_model_is_trained_stopped_kept_and_opened(monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", "/kept/.name.json.123.tmp")

    asked: list[str] = []
    monkeypatch.setattr(actions, "go_to", asked.append)
    query = {"part_training": "live", "live_longest": "4", "live_steps": "100", "live_seed": "7"}
    page = open_page("training", **query)
    assert "A model learns to reverse digits" in texts(page)
    assert not sent(page, "lapse")
    page = ok(page.button(key="live_start").click().run())
    assert page.number_input(key="live_seed").disabled
    [job] = cache.trainings().pool.jobs()
    assert job.mark.words(job).endswith("of 100")
    page = until(page, "Training")
    page = ok(page.button(key="live_stop").click().run())
    page = ok(until(page, "Stopped:").run())
    assert lapse(page)["total"] == 100

    again = open_page("training", part_training="live", training=page.query_params["training"])
    assert "Stopped" in again.get("progress")[0].proto.text
    with monkeypatch.context() as patch:
        patch.setattr(files, "write_whole", full)
        page = ok(page.button(key="live_keep").click().run())
    assert "is full: free some space" in texts(page)
    assert ".tmp" not in texts(page)
    assert kept_names() == []
    page = ok(page.button(key="live_keep").click().run())
    name = page.button(key="live_open").label.removeprefix("Open ")
    assert name.startswith("reverse-live-seed-7-step-")
    page = ok(page.button(key="live_open").click().run())
    assert asked == ["attention"]
    assert page.session_state["checkpoint"] == name
    assert page.session_state["source"] == "reverse 3 1 4 1"


def test_a_link_to_a_training_that_is_gone_says_so():
    page = open_page("training", part_training="live", training="0" * 32)
    assert "The training of this link is gone" in texts(page)


def test_a_full_server_says_so(monkeypatch):
    monkeypatch.setattr(cache.trainings().pool, "places", 0)
    page = open_page("training", part_training="live")
    page = ok(page.button(key="live_start").click().run())
    assert "trains at most 0 models at a time: try again" in texts(page)
    assert not page.get("progress")


def test_what_goes_wrong_in_the_process_is_told(monkeypatch):
    script = "import sys; sys.stderr.write('no <disk> left'); sys.exit(1)"
    monkeypatch.setattr(cache.trainings(), "_command", (sys.executable, "-c", script))
    page = open_page("training", part_training="live")
    page = ok(page.button(key="live_start").click().run())
    page = ok(until(page, "Failed").run())
    assert "no &lt;disk&gt; left" in texts(page)
    assert page.button(key="live_start").label == "Train a new model"
