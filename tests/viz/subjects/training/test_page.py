import shutil
import sys
import time
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from model.checkpoint import load_checkpoint
from model.training_session import TrainingSession
from tests.checkpoints import write_checkpoints
from tests.pages import figures, ok, open_page, sent, texts
from viz.subjects.training import cache
from viz.subjects.training import plan as plans
from viz.subjects.training.live import LiveTraining
from viz.subjects.training.plan import Plan, make_corpus, make_trainer


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory):
    """A folder of checkpoints with snapshots of a training of two steps."""
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
    cache.trainings().end("test session id")


def lapse(page: AppTest) -> dict:
    """What the player of snapshots is given, as far as it is JSON."""
    (data,) = sent(page, "lapse")
    return data["meta"]


def test_it_opens_with_the_snapshots():
    page = open_page("training")
    assert "One training in 3 snapshots" in texts(page)
    shown = lapse(page)
    assert shown["steps"] == [0, 1, 2]
    assert shown["kind"] == "cross-attention"
    assert shown["at"] is None
    assert page.selectbox(key="lapse_example").options == [
        "reverse 3 1 4 1 5 9",
        "reverse 1 2 3 4 5 6 7 8 9 0 1 2",
    ]


def test_a_link_restores_sentence_head_and_place():
    shown = lapse(
        open_page(
            "training",
            lapse_example="reverse 1 2 3 4 5 6 7 8 9 0 1 2",
            lapse_kind="encoder self-attention",
            lapse_head="2",
            snapshot="1",
        )
    )
    assert (shown["kind"], shown["head"], shown["at"]) == ("encoder self-attention", 2, 1)
    assert len(shown["rowTokens"]) == 14
    assert lapse(open_page("training", snapshot="<script>"))["at"] is None


def test_without_snapshots_it_says_where_they_come_from(tmp_path, snapshots, monkeypatch):
    for path in snapshots.glob("english-french-paper.*"):
        shutil.copy(path, tmp_path)
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(tmp_path))
    assert "There are no snapshots here" in texts(open_page("training"))


def test_a_broken_snapshot_is_reported(tmp_path, snapshots, monkeypatch):
    shutil.copytree(snapshots, tmp_path / "broken")
    (tmp_path / "broken" / "time-lapse" / "tiny-000001.safetensors").write_bytes(b"no weights")
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(tmp_path / "broken"))
    assert "These snapshots cannot be used" in texts(open_page("training"))


def test_schedules_are_drawn_for_the_setting_of_the_link():
    page = open_page(
        "training",
        part_training="Learning rate",
        schedule_d_model="512",
        schedule_warmup="4000",
        schedule_steps="8000",
    )
    (figure,) = figures(page)
    assert len(figure["data"]) == 4
    assert figure["data"][0]["name"] == "Noam"
    assert "rises for 4,000 steps to 0.000699" in texts(page)  # 1 / sqrt(512 * 4000)
    page = ok(page.button(key="schedule_model").click().run())
    assert page.number_input(key="schedule_d_model").value == 48


def test_smoothing_shows_the_target_of_the_chosen_token(snapshots):
    page = open_page("training", part_training="Label smoothing", smoothing="0.2", step="1")
    bars, curve = figures(page)
    assert bars["layout"]["yaxis"]["ticktext"][0] == "animal"
    assert [line["name"] for line in curve["data"]][:2] == ["smoothed", "not smoothed"]
    vocabulary = load_checkpoint(snapshots / "english-french-paper").info.config.target_vocab_size
    best = 0.8 + 0.2 / vocabulary
    assert f"1 − ε + ε/V = {best:.4f}" in texts(page)
    page = open_page("training", part_training="Label smoothing", smoothing="0.0")
    assert "falls for ever" in texts(page)


def test_depth_shows_what_was_recorded():
    page = open_page("training", part_training="Depth", depth_step="300")
    losses, gradients = figures(page)
    record = cache.depth_record()
    assert len(losses["data"]) == len(record.runs)
    assert len(gradients["data"]) == 2 * len(record.runs)
    assert "at step 300 the lowest decoder layer gets" in texts(page)


def until(page: AppTest, words: str) -> AppTest:
    """Look at the page again until its progress says so."""
    end = time.monotonic() + 90
    while words not in page.get("progress")[0].proto.text:
        assert time.monotonic() < end, page.get("progress")[0].proto.text
        time.sleep(0.2)
        page = ok(page.run())
    return page


def test_a_model_is_trained_stopped_and_kept(monkeypatch):
    monkeypatch.setattr(plans, "BATCH_SIZE", 8)
    page = open_page(
        "training", part_training="Live", live_longest="4", live_steps="100", live_seed="7"
    )
    assert "Train a model, here and now" in texts(page)
    page = ok(page.button(key="live_start").click().run())
    assert page.number_input(key="live_seed").disabled
    page = until(page, "Training")
    page = ok(page.button(key="live_stop").click().run())
    page = until(page, "Stopped")
    page = ok(page.run())
    assert lapse(page)["total"] == 100
    page = ok(page.button(key="live_keep").click().run())
    assert page.button(key="live_open").label.startswith("Open reverse-live-seed-7-step-")


def test_a_full_server_says_so(monkeypatch):
    monkeypatch.setattr(cache.trainings(), "places", 0)
    page = open_page("training", part_training="Live")
    page = ok(page.button(key="live_start").click().run())
    assert "trains 0 models at a time, and others are at it" in texts(page)
    assert not page.get("progress")


def test_what_goes_wrong_in_the_process_is_told(monkeypatch):
    script = "import sys; sys.stderr.write('no <disk> left'); sys.exit(1)"
    failing = partial(LiveTraining, command=(sys.executable, "-c", script))
    monkeypatch.setattr(cache.trainings(), "_make", failing)
    page = open_page("training", part_training="Live")
    page = ok(page.button(key="live_start").click().run())
    page = until(page, "It failed")
    assert "no &lt;disk&gt; left" in texts(page)
