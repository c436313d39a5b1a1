"""What this installation of Loupe consists of, found without opening a model.

Needs nothing but Python, since it is asked when something is missing. What needs another package is
imported by the function that asks it.
"""

import importlib.metadata
import io
import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from loupe.module_finder import HOME

SIGNS_OF_NVIDIA = ("/proc/driver/nvidia", "/usr/lib/wsl/lib/libcuda.so.1")
"""Files that are there if an NVIDIA driver is: on Linux, and on Linux inside Windows."""
EXTRAS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "": (
        "Loupe itself",
        ("cachetools", "jaxtyping", "numpy", "safetensors", "tokenizers", "torch", "tqdm"),
    ),
    "app": (
        "the app, sites and atlases",
        (
            *("httptools", "markupsafe", "pandas", "plotly", "pyarrow", "scikit-learn", "scipy"),
            *("segno", "starlette", "streamlit", "threadpoolctl", "uvicorn", "uvloop"),
        ),
    ),
    "bertviz": ("BertViz's drawing of all heads", ("bertviz", "ipython")),
    "huggingface": (
        "downloads of models, and models that Loupe records while transformers runs them",
        ("filelock", "huggingface_hub", "transformers"),
    ),
    "notebook": ("widgets in a notebook", ("anywidget", "traitlets")),
    "ray": ("atlases that a cluster measures", ("ray[data]",)),
    "window": ("a separate window without Chromium, Chrome or Edge", ("pywebview",)),
}
"""The extras of the package: the use of each, and its packages. The first is the core."""
_MOST_FILES = 50_000
"""The largest number of files of a cache whose sizes are added up."""


def find_all() -> dict[str, Any]:
    """Return everything that is found, as plain values without personal paths."""
    return {
        "loupe": _loupe(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "torch": _torch(),
        "nvidia_driver": has_nvidia(),
        "browser": _browser(),
        "packages": list(_packages()),
        "plugins": list(_plugins()),
        "caches": list(_caches()),
        "checkpoints": list(_checkpoints()),
    }


def has_nvidia() -> bool:
    """Return whether this machine has an NVIDIA driver."""
    return any(Path(sign).exists() for sign in SIGNS_OF_NVIDIA) or bool(shutil.which("nvidia-smi"))


def without_names(text: str) -> str:
    """Write the user's folder as ~, and a folder with the user's name as USER."""
    homes = {str(Path.home()), os.path.realpath(Path.home())} - {"/"}
    for home in sorted(homes, key=len, reverse=True):
        text = re.sub(rf"{re.escape(home)}(?![\w.-])", "~", text)
    users = {os.environ.get(name) for name in ("USER", "LOGNAME", "USERNAME")}
    for user in filter(None, users | {Path.home().name}):
        text = re.sub(rf"(?<=[/\\]){re.escape(user)}(?![\w.-])", "USER", text)
    return text


def how_to_install(extra: str, *packages: str) -> str:
    """Return the command that installs packages of an extra into this environment."""
    if (HOME / "start.py").is_file():
        programs = "Scripts" if sys.platform == "win32" else "bin"
        is_own = Path(sys.prefix).resolve() == (HOME / ".venv").resolve()
        python = str(Path(".venv", programs, "python")) if is_own else "python"
        return " ".join([python, "-m pip install", *(f'"{each}"' for each in packages)])
    bracket = f"[{extra}]" if extra else ""
    return f'python -m pip install "loupe-transformer{bracket}"'


def _loupe() -> dict[str, str]:
    from viz.run.version import version

    kind = "a copy of its folder" if (HOME / "start.py").is_file() else "a package"
    return {"version": version(), "installed_as": kind, "place": without_names(str(HOME))}


def _packages() -> Iterator[dict[str, str | None]]:
    for extra, (unlocks, names) in EXTRAS.items():
        for name in names:
            if name == "uvloop" and sys.platform == "win32":
                continue
            version = _version(name.partition("[")[0])
            yield {
                "name": name.partition("[")[0],
                "version": version,
                "extra": extra,
                "unlocks": unlocks,
                "install": None if version else how_to_install(extra, name),
            }


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _torch() -> dict[str, Any] | None:
    """Describe torch, its build and its devices; None if it is not installed."""
    if find_spec("torch") is None:
        return None
    try:
        import torch

        build = f"CUDA {torch.version.cuda}" if torch.version.cuda else "CPU"
        if getattr(torch.version, "hip", None):
            build = f"ROCm {torch.version.hip}"
        devices = ["cpu"]
        for number in range(torch.cuda.device_count()):
            devices += [f"cuda:{number} ({torch.cuda.get_device_name(number)})"]
        if torch.backends.mps.is_available():
            devices.append("mps")
        return {"version": torch.__version__, "build": build, "devices": devices}
    except Exception as error:  # a damaged torch raises errors of many types
        return {"version": _version("torch"), "fault": without_names(f"{error}"), "devices": []}


def _browser() -> str | None:
    from loupe.window import find_browser

    found = find_browser()
    return without_names(found) if found else None


def _plugins() -> Iterator[dict[str, str | None]]:
    """Load each plug-in. What their modules print is left out: the output may be JSON."""
    try:
        from loupe.plugins import installed

        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            found = installed()
    except ImportError:  # they need torch
        return
    for each in found:
        yield {
            "kind": each.kind,
            "name": each.name,
            "package": each.package,
            "version": each.version,
            "fault": without_names(each.sentence) if each.fault else None,
        }


def _caches() -> Iterator[dict[str, Any]]:
    from model.foreign.hub.cache import hub_cache

    places = {"models from the Hugging Face Hub": hub_cache()}
    if kept := _kept_folder():
        places["checkpoints that you kept"] = kept
    for what, variable in (("your models", "LOUPE_MODELS"), ("your atlases", "LOUPE_ATLAS")):
        if (named := os.environ.get(variable, "")) and "://" not in named:
            places[what] = Path(named.partition(os.pathsep)[0]).expanduser()
    for what, place in places.items():
        if place.is_dir():
            size, is_whole = _size(place)
            found = {"what": what, "place": without_names(str(place)), "bytes": size}
            yield found if is_whole else {**found, "more": True}


def _size(folder: Path) -> tuple[int, bool]:
    """Add up the files of a folder, each once; say whether these are all."""
    total = 0
    count = 0
    for place, _, names in os.walk(folder):
        for name in names:
            count += 1
            if count > _MOST_FILES:
                return total, False
            try:
                total += Path(place, name).lstat().st_size
            except OSError:
                continue
    return total, True


def _kept_folder() -> Path | None:
    try:
        from viz.models.places import kept_folder
    except ImportError:  # it needs torch
        return None
    return kept_folder()


def _checkpoints() -> Iterator[dict[str, str | None]]:
    """Compare the files of each checkpoint with the digests that they state."""
    try:
        from model.checkpoints.checkpoint_files import check_whole
        from model.checkpoints.errors import CheckpointError
    except ImportError:  # they need tokenizers
        return
    for folder in filter(None, (HOME / "sample_data" / "checkpoints", _kept_folder())):
        paths = {path.with_suffix("") for path in folder.glob("*.safetensors")}
        for path in sorted(paths):
            try:
                check_whole(path)
                fault = None
            except CheckpointError as error:
                fault = without_names(str(error))
            yield {"name": path.name, "fault": fault}
