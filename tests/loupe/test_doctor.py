import getpass
import json
import os
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import torch
from packaging.requirements import Requirement

from loupe import doctor, findings
from model.checkpoints.checkpoint_files import list_checkpoints
from tests.browsing import ROOT
from tests.loupe.plugged.distributions import install
from tests.model.foreign.hub.entries import write_entry

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Make a home for a user Ada, with a Hugging Face cache, kept checkpoints and a browser."""
    home = tmp_path / "ada.lovelace"
    write_entry(home / ".cache" / "huggingface" / "hub", "org/name")
    kept = home / ".local" / "share" / "loupe" / "checkpoints"
    kept.mkdir(parents=True)
    for suffix in (".json", ".safetensors"):
        shutil.copy(ROOT / "sample_data" / "checkpoints" / f"digits-paper{suffix}", kept)
    (home / "bin").mkdir()
    (home / "bin" / "chromium").touch(mode=0o700)
    for name in ("HF_HOME", "HF_HUB_CACHE", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("LOUPE_KEPT", "LOUPE_MODELS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USER", "ada")
    monkeypatch.setenv("PATH", str(home / "bin"))
    atlases = tmp_path / "ada" / "atlases"
    atlases.mkdir(parents=True)
    monkeypatch.setenv("LOUPE_ATLAS", str(atlases))
    return home


def told(capsys, *asked: str, status: int = 0) -> str:
    assert doctor.main(asked) == status
    return capsys.readouterr().out


def test_it_lists_the_versions_that_are_installed(home, capsys):
    found = json.loads(told(capsys, "--json"))
    assert found["loupe"]["version"] == PROJECT["version"]
    assert found["python"] == ".".join(map(str, sys.version_info[:3]))
    assert found["torch"]["version"] == torch.__version__
    assert found["torch"]["devices"][0] == "cpu"
    versions = {each["name"]: each["version"] for each in found["packages"]}
    assert {name: versions[name] for name in ("numpy", "streamlit")} == {
        name: version(name) for name in ("numpy", "streamlit")
    }
    assert found["browser"] == str(Path("~") / "bin" / "chromium")
    assert found["to_do"] == []
    assert home.is_dir()


@pytest.mark.usefixtures("home")
def test_no_personal_path_and_no_name_of_a_user_is_in_it(tmp_path, capsys):
    for asked in ((), ("--json",)):
        text = told(capsys, *asked)
        assert "ada" not in text.lower()
        assert str(Path("~") / ".cache" / "huggingface" / "hub") in text
        assert str(tmp_path / "USER" / "atlases") in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/ada/x: no", "~/x: no"),
        ("/home/ada", "~"),
        ("/home/adam/x", "/home/adam/x"),
        ("/media/ada/disk and /ada", "/media/USER/disk and /USER"),
        ("C:\\Users\\ada\\x", "C:\\Users\\USER\\x"),
        ("a canada", "a canada"),
    ],
)
def test_home_is_a_tilde_and_a_folder_of_the_user_has_no_name(text, shown, monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    for name in ("USER", "LOGNAME", "USERNAME"):
        monkeypatch.setenv(name, "ada")
    assert findings.without_names(text) == shown


def test_the_sizes_of_caches_are_those_of_their_files(home):
    (home / ".cache" / "huggingface" / "hub" / "large").write_bytes(bytes(12_000_000))
    cache, kept, _ = findings.find_all()["caches"]
    root = home / ".cache" / "huggingface"
    files = [path for path in root.rglob("*") if path.is_symlink() or path.is_file()]
    assert cache["bytes"] == sum(path.lstat().st_size for path in files) > 12_000_000
    folder = home / ".local" / "share" / "loupe" / "checkpoints"
    assert kept["bytes"] == sum(path.stat().st_size for path in folder.iterdir())


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (
            lambda path: path.write_bytes(path.read_bytes()[:-1] + b"x"),
            "its sha256 differs from the one",
        ),
        (lambda path: path.with_suffix(".json").unlink(), "this file does not exist"),
        (lambda path: path.with_suffix(".json").write_text("{}"), "digits-paper.json"),
    ],
)
def test_a_damaged_checkpoint_is_named_with_a_remedy(broken, said, home, capsys):
    broken(home / ".local" / "share" / "loupe" / "checkpoints" / "digits-paper.safetensors")
    text = told(capsys, status=1)
    shipped = len(list_checkpoints(ROOT / "sample_data" / "checkpoints"))
    assert f"checkpoints: {shipped} of {shipped + 1} are whole" in text
    assert "- the checkpoint digits-paper is damaged" in text
    assert said in text
    assert "ada" not in text


def test_the_packages_are_those_of_the_project():
    listed = {extra: set(names) for extra, (_, names) in findings.EXTRAS.items()}
    extras = PROJECT["optional-dependencies"] | {"": PROJECT["dependencies"]}
    wanted = {extra: map(Requirement, lines) for extra, lines in extras.items() if extra != "all"}
    assert listed == {
        extra: {each.name + ("[data]" if each.extras else "") for each in lines}
        for extra, lines in wanted.items()
    }


@pytest.mark.slow
def test_plug_ins_are_listed_and_a_faulty_one_is_to_be_mended(home, tmp_path):
    site = tmp_path / "site"
    whole = 'URL, TITLE, PLACE = "acme-page", "A page", "look"\ndef render(view): ...\nprint("hi")'
    broken = f"raise OSError({str(home / 'file')!r})"
    points = {"acme-page": "whole", "acme-broken": "broken"}
    install(site, "acme", {"loupe.pages": points}, {"whole": whole, "broken": broken}, "2.1")
    command = [sys.executable, "-m", "loupe", "doctor", "--json"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(site), str(ROOT)))}
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "")
    found = json.loads(done.stdout)
    by_name = {each["name"]: each for each in found["plugins"]}
    assert {(each["package"], each["version"]) for each in by_name.values()} == {("acme", "2.1")}
    assert by_name["acme-page"]["fault"] is None
    fault = by_name["acme-broken"]["fault"]
    assert str(Path("~") / "file") in fault
    assert found["to_do"] == [f"{fault} Update or uninstall acme"]
    lines = [*doctor.described(found)]
    assert "  the page acme-page: acme 2.1" in lines
    assert "  the page acme-broken: acme 2.1; it does not work, see below" in lines


@pytest.mark.usefixtures("home")
def test_a_missing_package_is_listed_with_what_it_unlocks(monkeypatch, capsys):
    monkeypatch.setattr(findings, "_version", lambda name: None if name == "anywidget" else "1.0")
    text = told(capsys)
    assert "[notebook]: widgets in a notebook" in text
    assert 'anywidget          missing; python -m pip install "anywidget"' in text.replace(
        str(Path(".venv", "bin", "python")), "python"
    )


@pytest.mark.usefixtures("home")
def test_a_missing_part_of_the_core_or_of_the_app_is_to_be_mended(monkeypatch, capsys):
    monkeypatch.setattr(
        findings, "_version", lambda name: None if name in ("numpy", "segno") else "1.0"
    )
    text = told(capsys, status=1)
    assert "- numpy missing, which Loupe needs: " in text
    assert "- the app is installed in part, without segno: " in text


@pytest.mark.usefixtures("home")
def test_a_core_without_the_app_is_whole(monkeypatch, capsys):
    core = {*findings.EXTRAS[""][1], "markupsafe"}  # a dependency of torch
    monkeypatch.setattr(findings, "_version", lambda name: "1.0" if name in core else None)
    assert "Nothing that Loupe needs is missing" in told(capsys)


def test_an_installed_package_asks_for_its_extra(monkeypatch, tmp_path):
    monkeypatch.setattr(findings, "HOME", tmp_path)
    whole = 'python -m pip install "loupe-transformer[ray]"'
    assert findings.how_to_install("ray", "ray[data]") == whole
    assert findings.how_to_install("", "numpy") == 'python -m pip install "loupe-transformer"'


FOUND = {
    "packages": [],
    "plugins": [],
    "checkpoints": [{"name": "a", "fault": None}],
    "nvidia_driver": True,
}


@pytest.mark.parametrize(
    ("build", "devices", "said"),
    [
        ("CPU", ["cpu"], "torch is the build for CPUs"),
        ("CUDA 13.0", ["cpu"], "torch finds no GPU"),
    ],
)
def test_a_gpu_that_is_not_used_is_said(build, devices, said):
    torch = {"version": "2.13.0", "build": build, "devices": devices}
    [fault] = doctor.faults_in({**FOUND, "torch": torch})
    assert said in fault
    assert list(doctor.faults_in({**FOUND, "torch": torch, "nvidia_driver": False})) == []


def test_a_driver_is_known_by_its_files_or_by_its_program(monkeypatch, tmp_path):
    monkeypatch.setattr(findings, "SIGNS_OF_NVIDIA", (str(tmp_path / "driver"),))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not findings.has_nvidia()
    (tmp_path / "driver").touch()
    assert findings.has_nvidia()
    (tmp_path / "driver").unlink()
    (tmp_path / "nvidia-smi").touch(mode=0o700)
    assert findings.has_nvidia()


def test_it_runs_without_any_package(tmp_path):
    """Python runs with `-S` here, so that it finds no installed package."""
    code = "import sys; from loupe.command import main; sys.exit(main(['doctor']))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=ROOT,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr == ""
    assert "torch is missing" in done.stdout
    assert "which Loupe needs" in done.stdout
    assert getpass.getuser() not in done.stdout.replace(str(ROOT), "")
