"""The build of torch that the first start installs, and the index that has it.

On Linux, the usual build of torch is the one for NVIDIA GPUs, 2.7 GB to download. The build for
CPUs, 0.2 GB, is on PyTorch's own index. `start.py` reads this before anything is installed.
"""

import json
import platform
import re
import subprocess
import sys
import threading
from collections.abc import Sequence
from http.client import HTTPException
from pathlib import Path
from queue import Empty, SimpleQueue
from urllib.error import HTTPError, URLError
from urllib.parse import unquote
from urllib.request import urlopen

from loupe.findings import has_nvidia

NONE = "none"
"""The value of `--torch-index` that asks no index but the usual one."""
PATIENCE = 5.0
"""The time limit for the answer of PyTorch's index, in seconds."""
MOST_OF_PAGE = 1 << 23
"""The largest page of an index that is read, in bytes."""

LOCK = "requirements.lock"
"""All that the app needs but torch, with hashes; made by `python -m release.lock`."""
TORCH_LOCKS = {"cpu": "requirements-cpu.lock", "cuda": "requirements-cuda.lock"}
"""torch, with what its build for that needs."""


def pinned_torch(requirements: Path) -> str:
    """Return the line of a list of requirements that names torch's version."""
    lines = requirements.read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("torch=="))


def choose_index(
    asked: str | None, cpu_index: str, pip: Sequence[str], torch: str
) -> tuple[str | None, str]:
    """Return the index that pip asks besides the usual one, if any, and a sentence that says why.

    Args:
        asked: The index that the user named, `NONE` for no index, or None if the user named none.
        cpu_index: PyTorch's index of builds for CPUs.
        pip: The command that runs pip.
        torch: The requirement that names torch's version.
    """
    if asked is not None:
        return (None if asked == NONE else asked), ""
    if sys.platform != "linux" or has_nvidia():
        return None, ""
    if _has_own_index(pip):
        return None, "an index is set for pip, and it decides which build of torch is installed"
    trouble = _trouble(cpu_index, torch.partition("==")[2].split()[0])
    if trouble is None:
        return cpu_index, (
            f"no NVIDIA driver was found, so {cpu_index} is asked for torch without CUDA: "
            f"0.2 GB to download instead of 2.7 GB (--torch-index {NONE} asks the usual index)"
        )
    return None, (
        f"PyTorch's index of CPU builds {trouble}, so torch comes from the usual index, whose "
        "build for Linux is 2.7 GB (--torch-index can name another index)"
    )


def _has_own_index(pip: Sequence[str]) -> bool:
    """Return whether pip's settings replace the usual index or forbid any."""
    listed = subprocess.run(
        [*pip, "config", "list"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False
    )
    settings = listed.stdout.decode(errors="replace")
    return bool(re.search(r"^\S+\.(index-url|no-index)='(?!'|(?:0|false|no|off)')", settings, re.M))


def _trouble(index: str, version: str) -> str | None:
    """Say why an index cannot give this Python torch for CPUs; None if it can.

    A name server or a slow server could each take longer than a time limit of urllib, which holds
    for one step. So a thread asks, and nothing waits for it longer than the limit.
    """
    answers = SimpleQueue[bytes | Exception]()

    def ask() -> None:
        try:
            with urlopen(f"{index}/torch/", timeout=PATIENCE) as page:
                answers.put(page.read(MOST_OF_PAGE))
        except (OSError, HTTPException, ValueError) as error:
            if isinstance(error, HTTPError):
                error.close()
            answers.put(error)

    threading.Thread(target=ask, daemon=True).start()
    try:
        answer = answers.get(timeout=PATIENCE)
    except Empty:
        answer = TimeoutError()
    if isinstance(getattr(answer, "reason", answer), TimeoutError):
        return f"did not answer within {PATIENCE:g} seconds"
    if isinstance(answer, HTTPError):
        return f"answered with status {answer.code}"
    if isinstance(answer, URLError):
        return f"cannot be reached ({answer.reason})"
    if isinstance(answer, Exception):
        return f"cannot be read ({answer or type(answer).__name__})"
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    wheel = rf"torch-{re.escape(version)}\+cpu-{tag}-{tag}{sys.abiflags}-\w*{platform.machine()}\."
    if re.search(wheel, unquote(answer.decode(errors="replace"))):
        return None
    return f"does not list torch {version} for this Python"


def locks(pip: Sequence[str], besides: Sequence[str], torch: str) -> tuple[list[str], str]:
    """Name the locked lists for this machine, and the build of torch that pip would take here.

    Raises CalledProcessError if pip finds none.
    """
    asks = ("--dry-run", "--ignore-installed", "--no-deps", "--quiet", "--report=-")
    asked = subprocess.run(
        [*pip, "install", *asks, *besides, torch], stdout=subprocess.PIPE, check=True
    )
    build = json.loads(asked.stdout)["install"][0]["metadata"]["version"]
    is_cpu = build.endswith("+cpu") or sys.platform != "linux"
    return [LOCK, TORCH_LOCKS["cpu" if is_cpu else "cuda"]], build
