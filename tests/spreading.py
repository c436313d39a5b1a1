"""Spreads the tests of the quick run over processes."""

import pytest
from xdist.remote import Producer
from xdist.scheduler.loadfile import LoadFileScheduling


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """Run the few smoke tests in one process, because each would start its own browser and server.

    All other tests of a file share a process, as `--dist=loadfile` asks.
    """
    return _TogetherInBrowser(config, log) if config.option.markexpr == "not slow" else None


class _TogetherInBrowser(LoadFileScheduling):
    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return "browser" if file.endswith("_browser.py") else file
