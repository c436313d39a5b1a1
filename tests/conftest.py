"""Shared fixtures: a tiny read-only model with its trace, and the app in a browser."""

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

torch.set_num_threads(1)  # on tensors this small, a second thread only adds waiting time


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all browser tests except the smoke tests as slow, before pytest selects by marks.

    Run the browser files first, then other files with slow tests, so that no process ends up
    waiting for another. In CI, give each browser test a second try, which the summary reports: a
    few hundred of them share two cores there with two servers and the machine's other work.
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
    """Hide the checkpoints and downloaded models of the person who runs the tests.

    These are the checkpoints kept after training, and the models in the Hugging Face cache.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_CACHE", str(tmp_path_factory.mktemp("cache") / "hub"))
        patch.delenv("LOUPE_MODELS", raising=False)
        patch.delenv("LOUPE_ATLAS", raising=False)
        patch.setenv("LOUPE_KEPT", str(tmp_path_factory.mktemp("kept") / "checkpoints"))
        yield


@pytest.fixture(scope="session", autouse=True)
def _one_scan_for_components() -> Iterator[None]:
    """Let Streamlit scan the installed packages for components once instead of for each page."""
    with pytest.MonkeyPatch.context() as patch:
        scan = "scan_component_manifests"
        patch.setattr(manifest_scanner, scan, cache(getattr(manifest_scanner, scan)))
        yield


@pytest.fixture(scope="module", autouse=True)
def _same_folders() -> Iterator[None]:
    """Fail a module whose tests change the model folders that later modules use."""

    def named() -> dict[str, str]:
        own = ("LOUPE_", "HF_HOME", "HF_HUB_CACHE", "HOME")
        return {name: value for name, value in os.environ.items() if name.startswith(own)}

    before = named()
    yield
    assert named() == before


@pytest.fixture(autouse=True)
def _main_module() -> Iterator[None]:
    """Restore the main module, which Streamlit's own tests replace with the script that they run.

    Otherwise processes that a later test starts would run that script first.
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
    """Give the name of each variant in turn."""
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
    """Write small models that no test may change, since the app caches what it computes of them."""
    return write_checkpoints(tmp_path_factory.mktemp("checkpoints"))


@pytest.fixture(scope="session")
def one_text_checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a folder of models that read one text: tiny-gpt, tiny-bert, tiny-alibi."""
    return write_one_text(tmp_path_factory.mktemp("one-text"))


@pytest.fixture
def one_text_app(one_text_checkpoints: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replace the shipped models by those that read one text."""
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(one_text_checkpoints))
    return one_text_checkpoints


@pytest.fixture
def tiny_checkpoints(checkpoints_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replace the shipped models by the small ones."""
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(checkpoints_folder))
    return checkpoints_folder


@pytest.fixture
def own_checkpoints(
    tiny_checkpoints: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Copy the small models for one test, which may change them.

    It requests `tiny_checkpoints` so that this fixture sets the environment variable last.
    """
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(tmp_path))
    return shutil.copytree(tiny_checkpoints, tmp_path, dirs_exist_ok=True)


@pytest.fixture(scope="session")
def address(checkpoints_folder: Path) -> Iterator[str]:
    """Serve the app with the small models, which no test may change."""
    with serve(checkpoints_folder, {"LOUPE_CHECKPOINTS": str(checkpoints_folder)}) as address:
        yield address


@pytest.fixture(scope="session")
def shipped_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the app with the shipped checkpoints."""
    with serve(tmp_path_factory.mktemp("shipped"), {"LOUPE_CHECKPOINTS": ""}) as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    # An old link's form, because the tests point at the cells of cross-attention.
    with open_page(browser, f"{address}/attention?kind=cross-attention") as page:
        yield page
