"""The command `loupe doctor`: lists packages, plug-ins, devices, caches and faults."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from loupe.findings import EXTRAS, find_all, how_to_install
from model.files.plain_text import plain
from model.files.sizes import in_words

_ABOUT = (
    "List packages, plug-ins, devices, caches and checkpoints, with a remedy for each fault. The "
    "list contains neither your name nor the path of your home folder: you can add it to a bug "
    "report."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, or 1 if something is broken or needed and missing."""
    parser = argparse.ArgumentParser(prog="loupe doctor", description=_ABOUT)
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    asked = parser.parse_args(arguments)
    found = find_all()
    faults = list(faults_in(found))
    if asked.json:
        sys.stdout.write(json.dumps({**found, "to_do": faults}, indent=1) + "\n")
    else:
        sys.stdout.write("\n".join([*described(found), "", *_to_do(faults)]) + "\n")
    return 1 if faults else 0


def faults_in(found: Mapping[str, Any]) -> Iterator[str]:
    """Describe each fault, with a remedy."""
    lacking = [each["name"] for each in found["packages"] if not (each["extra"] or each["version"])]
    if lacking:
        yield f"{', '.join(lacking)} missing, which Loupe needs: {how_to_install('', *lacking)}"
    app = [each for each in found["packages"] if each["extra"] == "app"]
    without = [each["name"] for each in app if not each["version"]]
    if app and without and "streamlit" not in without:  # torch brings some of the others
        how = how_to_install("app", *without)
        yield f"the app is installed in part, without {', '.join(without)}: {how}"
    torch = found["torch"] or {}
    if fault := torch.get("fault"):
        yield f"torch cannot be imported ({plain(fault)}): install it again"
    if found["nvidia_driver"] and torch.get("build") == "CPU":
        yield (
            "this machine has an NVIDIA driver, but torch is the build for CPUs. To use the GPU, "
            "install the usual build: delete .venv and run python3 start.py --torch-index none, or "
            "follow PyTorch's installation page"
        )
    if found["nvidia_driver"] and "CUDA" in torch.get("build", "") and len(torch["devices"]) == 1:
        yield "torch finds no GPU, although there is an NVIDIA driver: the driver may be too old"
    for each in found["plugins"]:
        if each["fault"]:
            yield f"{plain(each['fault'])} Update or uninstall {plain(each['package'])}"
    for each in found["checkpoints"]:
        if each["fault"]:
            yield f"the checkpoint {plain(each['name'])} is damaged. {plain(each['fault'])}"
    if not found["checkpoints"] and not lacking:
        yield "no checkpoint was found: install Loupe again"


def described(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the list."""
    own, torch = found["loupe"], found["torch"]
    yield f"Loupe {own['version']}, {own['installed_as']}, in {own['place']}"
    yield f"Python {found['python']} on {found['system']}"
    if torch is None:
        yield "torch is missing"
    else:
        yield f"torch {torch['version']}, built for {torch.get('build', 'an unknown device')}"
        yield f"devices: {', '.join(torch['devices']) or 'none'}"
    yield f"browser for --window: {found['browser'] or 'none; the usual browser opens a tab'}"
    yield from _packages(found["packages"])
    yield "\nplug-ins:"
    for each in found["plugins"]:
        state = "; it does not work, see below" if each["fault"] else ""
        line = f"{each['kind']} {each['name']}: {each['package']} {each['version']}{state}"
        yield f"  {plain(line)}"
    if not found["plugins"]:
        yield "  none"
    yield "\ncaches:"
    for each in found["caches"]:
        more = "more than " if each.get("more") else ""
        yield f"  {each['what']}: {more}{in_words(each['bytes'])} in {each['place']}"
    if not found["caches"]:
        yield "  none"
    whole = sum(not each["fault"] for each in found["checkpoints"])
    yield f"\ncheckpoints: {whole} of {len(found['checkpoints'])} are whole"


def _packages(packages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for extra, group in groupby(packages, key=lambda each: each["extra"]):
        yield f"\n{f'[{extra}]' if extra else 'core'}: {EXTRAS[extra][0]}"
        for each in group:
            state = each["version"] or f"missing; {each['install']}"
            yield f"  {each['name']:18} {state}"


def _to_do(faults: Sequence[str]) -> list[str]:
    if not faults:
        return ["Nothing that Loupe needs is missing or broken."]
    return ["To do:", *(f"- {fault}" for fault in faults)]
