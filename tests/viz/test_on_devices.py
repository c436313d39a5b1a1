"""Every page with a model on a GPU: on a simulated device and on a real one."""

import pytest
import torch

from model.transformer import Transformer
from tests.pages import open_app, open_page, sent, texts
from tests.sham import DEVICES, GPU
from viz.pages import SUBJECTS

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")


@pytest.mark.slow
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", SUBJECTS)
def test_a_page_mixes_no_devices(name: str, device: str) -> None:
    open_page(name, device=device)


@pytest.mark.parametrize("device", [GPU])
def test_the_app_runs_on_the_device_that_is_chosen(device: str) -> None:
    by_link, chosen = open_app(device=device), open_app()
    assert "on CPU" in texts(chosen)
    chosen.segmented_control(key="device").set_value(device).run()
    for app in (by_link, chosen):
        assert not app.exception
        assert "on CUDA" in texts(app)
        assert sent(app, "start")


def test_a_gpu_without_room_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(Transformer, "forward", full)
    app = open_app(source="a b c d")
    assert not app.exception
    assert "Not enough memory for this" in texts(app)
    assert "CUDA" not in texts(app)
