"""docs/api.md agrees with the docstrings and contains every public name."""

import inspect
import re

import pytest

pytest.importorskip("griffe", reason="needs griffelib (requirements-dev.txt)")

import loupe
from model.config import TransformerConfig
from model.tensor_names import tensor_names
from qa.api_reference.__main__ import PAGE
from qa.api_reference.page import FUNCTIONS, page

TEXT = PAGE.read_text("utf-8")


def section(heading: str) -> str:
    """Return the text under a third-level heading."""
    return re.split(r"^#{2,3} ", TEXT.split(f"\n### {heading}\n")[1], flags=re.MULTILINE)[0]


def shown_value(default: object) -> str:
    return "slice(None)" if default == slice(None) else repr(default).replace("'", '"')


def test_the_page_is_what_the_docstrings_say() -> None:
    assert page() == TEXT, "run: python -m qa.api_reference"


def test_each_public_name_has_a_section() -> None:
    headings = set(re.findall(r"^### `loupe\.(\w+)`$", TEXT, re.MULTILINE))
    assert headings == set(loupe.__all__)


@pytest.mark.parametrize("name", sum(FUNCTIONS.values(), ()))
def test_a_section_has_each_argument_with_its_default(name: str) -> None:
    told = section(f"`loupe.{name}`")
    code = told.split("```text\n")[1].split("\n```")[0]
    for parameter in inspect.signature(getattr(loupe, name)).parameters.values():
        default = parameter.default
        shown = "" if default is parameter.empty else f" = {shown_value(default)}"
        assert re.search(rf"\b{parameter.name}: [^=\n]*{re.escape(shown)}[,)]", code), parameter


def test_the_tree_has_the_names_of_a_model_of_all_parts() -> None:
    config = TransformerConfig(
        source_vocab_size=8, target_vocab_size=8, d_model=8, n_heads=2, d_ff=8,
        n_encoder_layers=1, n_decoder_layers=1, segments=2, positions="relative",
    )  # fmt: skip
    block = TEXT.split("## Names of tensors\n")[1].split("```text\n")[1].split("```")[0]
    names = []
    for line in block.split("\n")[:-1]:
        first, *others = line.split(", ")
        stem = first.rpartition(".")[0]
        names += [first, *(f"{stem}{each}" for each in others)]
    found = [name.replace(".N.", ".0.") for name in names]
    found.remove("decoder.layers.0.cross_attn.bias")  # only some third-party models have it
    assert found == list(tensor_names(config))


def test_the_tables_have_each_part_of_the_tree() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| \((.+?)\) \|", TEXT.split("## Names of tensors")[1], re.MULTILINE
    )
    assert ("weights", "batch head query key") in rows
    assert ("scores", "batch head query key") in rows
    assert ("hidden", "batch position d_ff") in rows
