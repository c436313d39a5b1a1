"""Distribute the tests over processes."""

import pytest
from xdist.remote import Producer
from xdist.scheduler.loadfile import LoadFileScheduling


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling:
    """Run all tests of a file in one process, and files that share a server or a browser."""
    return _BySharedServer(config, log)


class _BySharedServer(LoadFileScheduling):
    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        if file.startswith("tests/viz/web/"):
            return "web"
        is_quick = self.config.option.markexpr == "not slow"  # a few smoke tests
        return "browser" if is_quick and file.endswith("_browser.py") else file
