"""The tables in sample_data's README agree with the checkpoints' own records."""

import json
import re

import pytest

from tests.browsing import ROOT
from tests.checkpoints import SHIPPED

README = (ROOT / "sample_data" / "README.md").read_text("utf-8")


def table_with(column: str) -> list[dict[str, str]]:
    """Return the rows of the checkpoint table that has a given column."""
    tables = re.findall(r"(?:^\|.+\|\n)+", README, re.MULTILINE)
    (lines,) = [each.splitlines() for each in tables if f"| {column} |" in each.splitlines()[0]]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


def record(name: str) -> dict:
    return json.loads((SHIPPED / f"{name.strip('`')}.json").read_text("utf-8"))


def size_of(name: str) -> str:
    files = (SHIPPED / f"{name.strip('`')}{end}" for end in (".json", ".safetensors"))
    return f"{sum(path.stat().st_size for path in files) / 1000:,.0f} kB"


TRANSLATORS = table_with("exact match")
OF_ONE_TEXT = table_with("layers x heads")


def test_all_checkpoints_are_listed() -> None:
    listed = {row["checkpoint"].strip("`") for row in (*TRANSLATORS, *OF_ONE_TEXT)}
    assert listed == {path.stem for path in SHIPPED.glob("*.json")}


@pytest.mark.parametrize("row", [*TRANSLATORS, *OF_ONE_TEXT], ids=lambda row: row["checkpoint"])
def test_sizes_are_those_of_the_records(row: dict[str, str]) -> None:
    training = record(row["checkpoint"])["training"]
    assert row["parameters"] == f"{training['parameters']:,}"
    assert row["steps"] == f"{training['step']:,}"
    assert row["size"] == size_of(row["checkpoint"])


@pytest.mark.parametrize("row", TRANSLATORS, ids=lambda row: row["checkpoint"])
def test_scores_of_translation_are_those_of_the_records(row: dict[str, str]) -> None:
    found = record(row["checkpoint"])
    scores = found["scores"]
    assert row["seed"] == str(found["training"]["seed"])
    for column in ("exact match", "loss", "chance"):
        assert row[column] == f"{scores[column.replace(' ', '_')]:.3f}", column
    assert row["best head"] == f"{max(head['all_tokens'] for head in scores['heads']):.3f}"
    if row["scored words"]:
        best = max(head["content_words"] for head in scores["heads"])
        assert row["scored words"] == f"{best:.3f}"


@pytest.mark.parametrize("row", OF_ONE_TEXT, ids=lambda row: row["checkpoint"])
def test_scores_of_one_text_are_those_of_the_records(row: dict[str, str]) -> None:
    found = record(row["checkpoint"])
    scores, config = found["scores"], found["config"]
    layers = config["n_encoder_layers"] + config["n_decoder_layers"]
    assert row["layers x heads"] == f"{layers} x {config['n_heads']}"
    for column in ("right", "loss", "chance"):
        assert row[column] == f"{scores[column]:.3f}", column
    other = scores["other_loss"]
    assert row["other"] == ("" if other is None else f"{other:.3f}")
    best = max(scores["looks"], key=lambda head: head["looks"])
    assert row["best head"] == f"L{best['layer']} H{best['head']} {best['looks']:.3f}"


def test_the_range_of_parameters_is_that_of_the_translation_models() -> None:
    counts = sorted(record(row["checkpoint"])["training"]["parameters"] for row in TRANSLATORS)
    assert f"Models of {counts[0]:,} to {counts[-1]:,} parameters" in " ".join(README.split())
