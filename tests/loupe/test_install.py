import json
import os
import socket
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from urllib.request import urlopen

import pytest

from qa.audit.browser import wait_for
from tests.browsing import ROOT
from viz.address.selection import default_selection
from viz.frame.python import checkpoint_path
from viz.models import running
from viz.pages import AS_PYTHON
from viz.run.as_python import as_imported, run_lines
from viz.run.inputs import Inputs

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def run(*command: str | Path, cwd: Path, expected: int = 0) -> str:
    free = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=free, capture_output=True, text=True, check=False)
    assert done.returncode == expected, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install Loupe into an environment of its own, whose dependencies come from this one."""
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet")
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", *options, ROOT, cwd=folder)
    return folder


@pytest.mark.slow
def test_it_is_one_package_and_one_command(environment: Path) -> None:
    site = next(environment.glob("lib/python*/site-packages"))
    found = {path.name for path in site.iterdir()}
    assert {name for name in found if "dist-info" not in name} == {"borrowed.pth", "loupe"}
    loupe = environment / "bin" / "loupe"
    assert {"app", "corpus", "doctor", "fetch", "site"} <= set(
        run(loupe, "--help", cwd=environment).split()
    )
    assert run(loupe, "--version", cwd=environment).strip() == f"Loupe {PROJECT['version']}"


@pytest.mark.slow
def test_python_runs_from_any_folder_and_finds_a_whole_package(
    environment: Path, tmp_path: Path
) -> None:
    """One process runs a trace, the guide's model code, a page's "As Python" and the doctor."""
    (tmp_path / "model.py").write_text("raise SystemExit('the model of someone else')")
    traced = (
        "import loupe\n"
        "run = loupe.trace(loupe.load('digits-paper'), '1 2 3')\n"
        "print(loupe.__file__, run.text, len(run._repr_mimebundle_()['text/html']))"
    )
    guide = (ROOT / "docs" / "python.md").read_text("utf-8")
    section = guide.split("## The model itself\n")[1]
    itself = section.split("```python\n")[1].split("```")[0]
    view = running.open_view(Inputs("digits-paper", "1 2 3", "", "cpu"))
    cards = (
        run_lines(view, checkpoint_path(view)),
        *AS_PYTHON["map"](view, default_selection(view.run)).values(),
    )
    as_python = "\n".join(map(as_imported, cards))
    doctor = "from loupe.command import main\nassert main(['doctor', '--json']) == 0"
    script = "".join(
        f"exec({code!r}, {{'__name__': '__main__'}})\nprint('---')\n"
        for code in (traced, itself, as_python, doctor)
    )
    said = run(environment / "bin" / "python", "-c", script, cwd=tmp_path).split("---\n")
    where, *text, size = said[0].split()
    assert Path(where).is_relative_to(environment)
    assert text == ["3", "2", "1"]
    assert int(size) > 50_000
    assert said[1].startswith("le petit chat noir dort")
    assert said[2].startswith("3 2 1")
    found = json.loads(said[3])
    assert found["loupe"]["version"] == PROJECT["version"]
    assert found["loupe"]["installed_as"] == "a package"
    assert found["to_do"] == []
    shipped = (ROOT / "sample_data" / "checkpoints").glob("*.safetensors")
    assert {path.stem for path in shipped} <= {each["name"] for each in found["checkpoints"]}


@pytest.mark.slow
def test_it_carries_the_app_and_nothing_of_the_tests(environment: Path) -> None:
    site = next(environment.glob("lib/python*/site-packages"))
    carried = site / "loupe" / "_app"
    there = {path.name for path in carried.iterdir()}
    there -= {"__pycache__"}  # pip compiles app.py
    assert there == {"app.py", "model", "viz", "sample_data", "texts", ".streamlit"}
    assert (carried / ".streamlit" / "config.toml").is_file()
    for folder in ("model", "viz", "sample_data", "texts"):
        files = {path for path in (ROOT / folder).rglob("*") if path.is_file()}
        own = {path.relative_to(ROOT) for path in files if "__pycache__" not in path.parts}
        assert own
        assert [path for path in own if not (carried / path).is_file()] == []
    assert not [path for path in site.joinpath("loupe").rglob("test*") if path.suffix == ".py"]
    assert list(site.glob("loupe_transformer-*.dist-info/sboms/bill.cdx.json"))


@pytest.mark.slow
@pytest.mark.flaky(reruns=1)  # threads of DuckDB or Arrow abort an end now and then: duckdb#13904
def test_a_corpus_is_measured_from_any_folder(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("raise SystemExit('the model of someone else')")
    loupe = environment / "bin" / "loupe"
    run(loupe, "corpus", "digits-paper", "--sentences", "20", "--out", "atlas", cwd=tmp_path)
    assert list((tmp_path / "atlas").rglob("*.parquet"))


@pytest.mark.slow
def test_the_app_answers_this_machine(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("raise SystemExit('the model of someone else')")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    options = ("--server.port", port, "--server.headless", "true")
    free = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [environment / "bin" / "loupe", "app", *options]
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(command, cwd=tmp_path, env=free, stdout=log, stderr=log) as app,
    ):
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(app, f"{address}/_stcore/health")
            with urlopen(f"{address}/") as page:
                assert b'id="root"' in page.read()
        finally:
            app.terminate()


@pytest.mark.slow
def test_a_site_is_written_from_any_folder(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("raise SystemExit('the model of someone else')")
    loupe = environment / "bin" / "loupe"
    said = run(loupe, "site", "out", "--model", "digits-paper", "--lang", "en", cwd=tmp_path)
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert said.startswith(f"{len(files)} files, ")
    assert "<title>" in (tmp_path / "out" / "index.html").read_text("utf-8")
    assert any("digits-paper" in path.name for path in files)
