"""Find and run the programs of a browser, and end them all afterwards."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.browsing import without_browser
from tests.engines.engine import PATIENCE


def found(*names: str) -> str:
    """Find a program by one of its names. If there is none, skip the test, or fail it in CI."""
    path = next(filter(None, map(shutil.which, names)), None)
    return path or without_browser(f"not on the PATH: {' or '.join(names)}")


@contextmanager
def started(
    logs: Path, command: Sequence[str], environment: dict[str, str], hands: Sequence[int] = ()
) -> Iterator[None]:
    """Start a program; in the end kill it and all processes that it started."""
    with (logs / f"{Path(command[0]).name}.log").open("w") as log:
        process = subprocess.Popen(
            command,
            env=os.environ | environment,
            stdout=log,
            stderr=log,
            pass_fds=hands,
            start_new_session=True,
        )
        try:
            yield
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=PATIENCE)
