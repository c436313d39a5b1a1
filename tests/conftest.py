"""Fixtures: one tiny model and what it computed, which nobody writes to; the app in a browser."""

import os
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Browser, Page
from streamlit.components.v2 import manifest_scanner
from torch import Tensor

from model.config import TransformerConfig
from model.presets import PRESETS
from model.traces import TransformerTrace
from model.transformer import Transformer
from tests.browsing import launched, open_page, serve
from tests.checkpoints import write_checkpoints, write_one_text
from tests.tiny import SOURCE, TARGET, tiny_model

torch.set_num_threads(1)  # tensors this small only wait for a second one


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests in a browser as slow but the smoke, before the marks choose.

    Begin with their files, then with others that hold slow tests: so no process waits for another
    at the end. In CI give each in a browser a second try, which the summary then tells of: a few
    hundred of them share two cores there with two servers and whatever else the machine does.
    """
    for item in items:
        if item.path.stem.endswith("_browser"):
            if not item.get_closest_marker("smoke"):
                item.add_marker("slow")
            if os.environ.get("CI") == "true":
                item.add_marker(pytest.mark.flaky(reruns=1))
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (not item.path.stem.endswith("_browser"), item.path not in slow))


@pytest.fixture(scope="session", autouse=True)
def _no_kept_checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Leave the checkpoints alone that whoever runs the tests has kept of their trainings.

    And their models of others, those in their Hugging Face cache among them.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_CACHE", str(tmp_path_factory.mktemp("cache") / "hub"))
        patch.delenv("LOUPE_MODELS", raising=False)
        patch.delenv("LOUPE_ATLAS", raising=False)
        patch.setenv("LOUPE_KEPT", str(tmp_path_factory.mktemp("kept") / "checkpoints"))
        yield


@pytest.fixture(scope="session", autouse=True)
def _one_scan_for_components() -> Iterator[None]:
    """Let Streamlit look for components among the installed packages once, not for each page."""
    with pytest.MonkeyPatch.context() as patch:
        scan = "scan_component_manifests"
        patch.setattr(manifest_scanner, scan, cache(getattr(manifest_scanner, scan)))
        yield


@pytest.fixture(scope="module", autouse=True)
def _same_folders() -> Iterator[None]:
    """Fail a module whose tests leave other folders of models to those that come after it."""

    def named() -> dict[str, str]:
        own = ("LOUPE_", "HF_HOME", "HF_HUB_CACHE", "HOME")
        return {name: value for name, value in os.environ.items() if name.startswith(own)}

    before = named()
    yield
    assert named() == before


@pytest.fixture(autouse=True)
def _main_module() -> Iterator[None]:
    """Put the main module back that Streamlit's own tests replace by the script that they run.

    Processes that a later test starts would begin with that script.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "__main__", sys.modules["__main__"])
        yield


@pytest.fixture(scope="session")
def model() -> Transformer:
    return tiny_model()


@pytest.fixture(scope="session")
def config(model: Transformer) -> TransformerConfig:
    return model.config


@pytest.fixture(scope="session")
def source() -> Tensor:
    return SOURCE


@pytest.fixture(scope="session")
def target() -> Tensor:
    return TARGET


@pytest.fixture(scope="session")
def trace(model: Transformer, source: Tensor, target: Tensor) -> TransformerTrace:
    with torch.inference_mode():
        return model(source, target)


@pytest.fixture(scope="session", params=PRESETS)
def variant(request: pytest.FixtureRequest) -> str:
    """Name of each variant in turn."""
    return request.param


@pytest.fixture(scope="session")
def variant_model(variant: str) -> Transformer:
    return tiny_model(variant)


@pytest.fixture(scope="session")
def variant_trace(variant_model: Transformer, source: Tensor, target: Tensor) -> TransformerTrace:
    with torch.inference_mode():
        return variant_model(source, target)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@pytest.fixture(scope="session")
def checkpoints_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small models that nobody writes to: what the app has computed of them it keeps."""
    return write_checkpoints(tmp_path_factory.mktemp("checkpoints"))


@pytest.fixture(scope="session")
def one_text_checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of models that read one text: tiny-gpt, tiny-bert, tiny-alibi."""
    return write_one_text(tmp_path_factory.mktemp("one-text"))


@pytest.fixture
def one_text_app(one_text_checkpoints: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The models of one text, in the place of those that are shipped."""
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(one_text_checkpoints))
    return one_text_checkpoints


@pytest.fixture
def tiny_checkpoints(checkpoints_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small models, in the place of those that are shipped."""
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(checkpoints_folder))
    return checkpoints_folder


@pytest.fixture
def own_checkpoints(
    tiny_checkpoints: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Copies of the small models for one test, which may change them.

    Made of those of all tests, so that a module that uses these does not set them over its own.
    """
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(tmp_path))
    return shutil.copytree(tiny_checkpoints, tmp_path, dirs_exist_ok=True)


@pytest.fixture(scope="session")
def address(checkpoints_folder: Path) -> Iterator[str]:
    """The app with small models made for the tests, which no test writes to."""
    with serve(checkpoints_folder, {"LOUPE_CHECKPOINTS": str(checkpoints_folder)}) as address:
        yield address


@pytest.fixture(scope="session")
def shipped_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app with the checkpoints that belong to it."""
    with serve(tmp_path_factory.mktemp("shipped"), {"LOUPE_CHECKPOINTS": ""}) as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    # As links of old have it: the tests point at the cells of cross-attention.
    with open_page(browser, f"{address}/attention?kind=cross-attention") as page:
        yield page
