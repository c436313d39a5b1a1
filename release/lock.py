"""Writes `requirements*.lock`: every package of the app, its version and the hashes of its files.

`python -m release.lock` asks `uv` (`pip install uv`) and its index of packages. The lists hold for
all systems and for Python 3.11 and newer. torch has lists of its own, because on Linux it comes in
two builds of one version: `requirements-cuda.lock` has the usual one and its CUDA packages,
`requirements-cpu.lock` the one without. The hashes of the latter on Linux come from another index,
`--torch-index URL`; without this option they stay as they are, with the same version.
"""

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from release.bill import PIN

ROOT = Path(__file__).parents[1]
LOCK, CPU, CUDA = (ROOT / f"requirements{kind}.lock" for kind in ("", "-cpu", "-cuda"))
LINUX, OTHERS = "sys_platform == 'linux'", "sys_platform != 'linux'"
_ENTRY = re.compile(r"^(?=[a-z0-9])", re.MULTILINE)
_HASH = re.compile(r"--hash=(sha256:[0-9a-f]{64})")
_OF_CUDA = re.compile(r"(cuda|nvidia)-|triton==")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the lists; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m release.lock", description=__doc__)
    parser.add_argument("--torch-index", metavar="URL", help="PyTorch's index of builds for CPUs")
    index = parser.parse_args(arguments).torch_index
    entries = _resolved((ROOT / "requirements.txt").read_text("utf-8"))
    torch = next(entry for entry in entries if entry.startswith("torch=="))
    of_cuda = [entry for entry in entries if _OF_CUDA.match(entry)]
    rest = [entry for entry in entries if entry != torch and entry not in of_cuda]
    [(_, version)] = PIN.findall(torch)
    cpu = _hashes_on_linux(version, index)
    _write(LOCK, "All that the app needs but torch", rest)
    _write(CUDA, "torch for NVIDIA GPUs on Linux, and what it needs", [torch, *of_cuda])
    both = [_entry(version, _HASH.findall(torch), OTHERS), _entry(version, cpu, LINUX)]
    _write(CPU, "torch without CUDA", both)
    return 0


def _resolved(requirements: str, *options: str) -> list[str]:
    """Ask uv for everything that requirements need: one entry with hashes for each package."""
    asks = ("--universal", "--python-version=3.11", "--generate-hashes", "--no-annotate")
    if not shutil.which("uv"):
        sys.exit("uv is not here: pip install uv")
    done = subprocess.run(
        ["uv", "pip", "compile", *asks, "--no-header", "--quiet", *options, "-"],
        input=requirements,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return [entry.rstrip() for entry in _ENTRY.split(done.stdout) if entry.strip()]


def _hashes_on_linux(version: str, index: str | None) -> list[str]:
    """Return the hashes of torch's builds without CUDA: those of an index, or the existing ones."""
    if index:
        asked = _resolved(f"torch=={version}+cpu", "--no-deps", "--default-index", index)
        return _HASH.findall(asked[0])
    kept = [
        entry for entry in _ENTRY.split(CPU.read_text("utf-8")) if LINUX in entry.split("\\")[0]
    ]
    if not kept or f"=={version} " not in kept[0]:
        sys.exit(f"{CPU.name} has no torch {version} for Linux: give --torch-index")
    return _HASH.findall(kept[0])


def _entry(version: str, hashes: Sequence[str], marker: str) -> str:
    return " \\\n    ".join([f"torch=={version} ; {marker}", *(f"--hash={h}" for h in hashes)])


def _write(path: Path, what: str, entries: Sequence[str]) -> None:
    head = f"# {what}, with hashes. Made by `python -m release.lock` from requirements.txt.\n"
    path.write_text(head + "\n".join(entries) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
