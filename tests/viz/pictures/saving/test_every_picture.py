"""Every picture either can be saved or is listed here with the reason why not."""

import re
from pathlib import Path

import pytest

VIZ = Path(__file__).parents[4] / "viz"
PICTURE = re.compile(r'picture\("(?P<name>\w+)",\s*"(?P<module>[^"]+)"[,)]')
NOTHING = "draws nothing"
CONTROL = "is worked with, and shows nothing of a run"
NOT_SAVED = {
    "run": NOTHING,
    "measures": NOTHING,
    "whole_head": NOTHING,
    "head_tensors": NOTHING,
    "selection": NOTHING,
    "made": NOTHING,
    "opened": NOTHING,
    "decoding_path": NOTHING,
    "decoding_typed": NOTHING,
    "inputs": NOTHING,
    "dials": NOTHING,
    "typing": CONTROL,
    "words": CONTROL,
    "places": CONTROL,
    "changes": "is a bar of buttons; what changed is in every file",
    "glossary": "is a list of words, the same for every run",
    "reading": "is a sentence, which can be copied",
    "saving": "saves the view itself",
    "bring_lesson": CONTROL,
    "lesson": "asks, and what it asks about is covered",
    "lesson_list": CONTROL,
    "lecture": "saves and prints the lecture itself",
    "pin": CONTROL,
    "slides": CONTROL,
    "chart": "saves the figure that stands above it",
}
FOUND = {
    match["name"]: match["module"]
    for file in sorted(VIZ.rglob("*.py"))
    for match in PICTURE.finditer(file.read_text(encoding="utf-8"))
}


@pytest.mark.parametrize("name", sorted(FOUND))
def test_a_picture_can_be_saved_or_says_why_not(name: str):
    module = (VIZ / FOUND[name]).read_text(encoding="utf-8")
    offers = len(re.findall(r"^  save\(\{\s+name: (?:SAVED_AS|say\()", module, re.MULTILINE))
    assert offers == (0 if name in NOT_SAVED else 1)


def test_every_reason_is_one_for_a_picture_that_there_is():
    assert NOT_SAVED.keys() <= FOUND.keys()


def test_every_figure_is_shown_with_the_button_that_saves_it():
    shown = [file.name for file in VIZ.rglob("*.py") if ".plotly_chart(" in file.read_text("utf-8")]
    assert shown == ["chart.py"]
