"""Fixtures: the app's server with small models, which logs every address it tries to reach."""

from collections.abc import Iterator

import pytest

from tests.browsing import serve
from tests.viz.web.served import WATCHED, Server


@pytest.fixture(scope="session")
def server(checkpoints_folder, tmp_path_factory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("watched")
    (folder / "sitecustomize.py").write_text(WATCHED)
    log = folder / "connections.log"
    environment = {
        "LOUPE_CHECKPOINTS": str(checkpoints_folder),
        "LOUPE_TEST_LOG": str(log),
        "PYTHONPATH": str(folder),
    }
    with serve(folder, environment) as address:
        yield Server(int(address.rpartition(":")[2]), log)
