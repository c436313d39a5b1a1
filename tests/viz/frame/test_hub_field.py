"""The dialog of own models: the contents of a Hugging Face cache, and a download into it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from model.foreign.hub.cache import find_cached
from model.foreign.hub.names import read_name
from tests.model.foreign.hub.entries import write_entry
from tests.model.foreign.hub.stand_in import COMMIT, Hub, put_folder, served
from tests.model.foreign.imports.folders import write_gpt2
from tests.pages import ok, open_app, texts
from tests.processes import until
from texts import say
from viz.frame import hub_field
from viz.models import listing

NAME = "org/tiny-gpt2"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    write_gpt2(tmp_path / "plain")
    return tmp_path / "hub"


@pytest.fixture
def hub(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    made = Hub()
    put_folder(made, tmp_path / "plain")
    with served(made):
        monkeypatch.setenv("HF_ENDPOINT", made.address)
        yield made
    assert cache


@pytest.fixture
def sits_here(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    def sit(here: bool) -> None:
        for place in ("viz.frame.own_models", "viz.frame.hub_field", "viz.models.stamps"):
            monkeypatch.setattr(f"{place}.is_at_this_machine", lambda: here)

    sit(True)
    return sit


def dialog() -> None:
    import streamlit as st

    from viz.address import address
    from viz.frame.own_models import show_own_models

    address.follow()
    show_own_models(lambda name: st.session_state.update(opened=name))


def opened(**query: str) -> AppTest:
    app = AppTest.from_function(dialog, default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    return ok(app.run())


def asked(app: AppTest, name: str) -> AppTest:
    app.text_input(key="own_hub_name").set_value(name)
    [look] = (button for button in app.button if button.label == say("own.look"))
    return ok(look.click().run())


def waited(app: AppTest) -> AppTest:
    """Run the page again once the process has ended."""
    until(lambda: app.session_state["own_fetching"].job.ended)
    return ok(app.run())


@pytest.mark.usefixtures("sits_here")
def test_a_model_of_the_cache_is_chosen_and_opened(cache, tmp_path):
    assert "has no model yet" in texts(opened())
    write_entry(cache, NAME, folder=tmp_path / "plain")
    write_entry(cache, "org/half", folder=tmp_path / "plain", without=("model.safetensors",))
    app = opened()
    assert app.selectbox(key="own_cached").options == ["org/half · gpt2", f"{NAME} · gpt2"]
    app = ok(app.selectbox(key="own_cached").set_value("org/half").run())
    assert "only a part of org/half: model.safetensors is missing" in texts(app)
    app = ok(app.selectbox(key="own_cached").set_value(NAME).run())
    assert f"{NAME} · GPT-2, 0.1 MB, commit {COMMIT[:7]}." in texts(app)
    app = ok(app.button(key="own_open_cached").click().run())
    assert app.session_state["opened"] == f"models/{NAME}"


@pytest.mark.usefixtures("sits_here")
def test_a_model_is_looked_up_downloaded_and_opened(hub, cache):
    """A page that is reloaded meanwhile finds its download; another page finds none."""
    app = waited(asked(opened(), f"https://huggingface.co/{NAME}"))
    assert f"{NAME}, commit {COMMIT[:7]}: 4 files of 56.9 kB" in texts(app)
    assert not cache.exists()
    assert app.button(key="own_download").label == "Download 56.9 kB"
    seen = []
    hub.during = lambda name, _: until(lambda: seen) if name.endswith("safetensors") else None
    app = ok(app.button(key="own_download").click().run())
    again = opened(fetching=app.session_state["own_fetching"].id)
    assert say("own.stop") in [button.label for button in again.button]
    seen.append(True)
    for each in (app, again):
        assert f"{NAME} is in your Hugging Face cache, commit {COMMIT[:7]}." in texts(waited(each))
    assert len(opened(fetching="0" * 32).button) == 1
    assert find_cached(read_name(NAME)).commit == COMMIT
    app = ok(app.button(key="own_open_fetched").click().run())
    assert app.session_state["opened"] == f"models/{NAME}"
    assert hub.got("model.safetensors") == [""]


@pytest.mark.slow
@pytest.mark.usefixtures("sits_here")
def test_a_download_is_stopped_and_continued(hub, cache):
    data = hub.files["model.safetensors"] = bytes(range(256)) * 50_000
    app = waited(asked(opened(), NAME))
    stopped = []

    def hold(name: str, done: int) -> None:
        """Hold the download at half of the file until the page has stopped it."""
        if name == "model.safetensors" and done > 6_000_000:
            until(lambda: stopped)

    hub.during = hold
    app = ok(app.button(key="own_download").click().run())
    job = app.session_state["own_fetching"].job
    until(lambda: job.progress[0] > 5_000_000)
    app = ok(app.run())
    assert say("own.stop") in [button.label for button in app.button]
    app = ok(app.button(key="own_stop").click().run())
    stopped.append(True)
    assert job.status == "stopped"
    assert say("own.stopped") in texts(app)
    assert not (cache / "models--org--tiny-gpt2" / "snapshots").exists()
    hub.during = lambda _name, _done: None
    app = waited(ok(app.button(key="own_download").click().run()))
    first, second = hub.got("model.safetensors")
    assert first == ""
    assert int(second.removeprefix("bytes=").rstrip("-")) > 4_000_000
    assert (find_cached(read_name(NAME)).path / "model.safetensors").read_bytes() == data


@pytest.mark.usefixtures("sits_here")
def test_what_cannot_be_downloaded_is_said(hub):
    app = asked(opened(), "../../etc/passwd")
    assert "A model of the Hugging Face Hub is named org/name" in texts(app)
    assert "own_fetching" not in app.session_state
    assert hub.asked == []
    app = waited(asked(app, "org/unknown"))
    assert "has no model org/unknown that you may see" in texts(app)
    hub.files.pop("model.safetensors")
    app = waited(asked(app, NAME))
    assert f"{NAME} has no weights" in texts(app)


@pytest.mark.usefixtures("hub", "sits_here")
def test_whoever_is_offline_has_no_field(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    app = opened()
    assert "Nothing is downloaded, since HF_HUB_OFFLINE" in texts(app)
    assert [field.key for field in app.text_input] == ["own_path"]


def test_a_server_for_others_shows_and_downloads_nothing(hub, cache, tmp_path, sits_here):
    write_entry(cache, "org/other", folder=tmp_path / "plain")
    app = opened()
    sits_here(False)
    app = asked(app, NAME)  # a browser may send this although the page shows no such field
    assert "own_fetching" not in app.session_state
    assert hub.asked == []
    app = opened()
    assert (list(app.text_input), list(app.selectbox)) == ([], [])
    assert [each.value for each in app.code][:2] == [
        "python3 start.py --models FOLDER",
        "python3 start.py --fetch org/name",
    ]


@pytest.mark.usefixtures("tiny_checkpoints")
def test_a_link_to_a_model_of_the_cache_opens_it_here_and_nowhere_else(cache, tmp_path, sits_here):
    write_entry(cache, NAME, folder=tmp_path / "plain")
    app = open_app(checkpoint=f"models/{NAME}")
    assert app.selectbox(key="checkpoint").value == f"models/{NAME}"
    assert f"Commit {COMMIT} of the Hugging Face Hub" in texts(app)
    assert f"models/{NAME}" not in listing.listed_names()
    sits_here(False)
    app = open_app(checkpoint=f"models/{NAME}")
    assert app.selectbox(key="checkpoint").value != f"models/{NAME}"
    assert "No checkpoint is called" in app.warning[0].value


@pytest.mark.slow
@pytest.mark.usefixtures("tiny_checkpoints", "sits_here")
def test_the_app_starts_with_the_one_model_that_was_named(cache, tmp_path, monkeypatch):
    write_entry(cache, NAME, folder=tmp_path / "plain")
    entry = cache / "models--org--tiny-gpt2"
    for folder, begins in ((entry, True), (cache, False), (tmp_path / "plain", True)):
        monkeypatch.setenv("LOUPE_MODELS", str(folder))
        name = f"models/{'plain' if folder.name == 'plain' else NAME}"
        for query, first in (({}, begins), ({"lang": "fr"}, begins), ({"kind": "x"}, False)):
            app = open_app(**query)
            assert (app.selectbox(key="checkpoint").value == name) is first
            assert name in listing.listed_names()


def test_what_runs_is_said_on_every_page():
    class Sham:
        name, downloads = NAME, True

        class job:  # noqa: N801
            progress = (1, 4)

    assert hub_field.words(Sham) == f"Downloading {NAME}: 25%"
