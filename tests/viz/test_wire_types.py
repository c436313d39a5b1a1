"""The types that check the browser's code agree with the data that Python sends."""

import re
from types import ModuleType
from typing import Any, Literal, NotRequired, TypedDict, get_args

import pytest

from tests.browser.wire_types import PICTURES, VIZ, as_typescript, choices, declaration, senders
from viz.run.axes import AttentionKind

Colour = Literal["red", "blue"]


class WireSpot(TypedDict):
    """A spot,
    somewhere.
    """

    at: tuple[int, float]
    """From the left."""
    colour: Colour


class WireSpots(WireSpot):
    """Many of them."""

    all: list[WireSpot | None]
    by: NotRequired[dict[str, list[Colour]]]
    size: Literal["small", "large"]


SPOTS = """
export type Colour = "red" | "blue";

/** A spot, somewhere. */
export interface WireSpot {
  /** From the left. */
  at: [number, number];
  colour: Colour;
}

/** Many of them. */
export interface WireSpots {
  at: [number, number];
  colour: Colour;
  all: (WireSpot | null)[];
  by?: Record<string, Colour[]>;
  size: "small" | "large";
}
"""


def module_of(*shapes: Any, **others: Any) -> ModuleType:
    made = ModuleType(__name__)
    vars(made).update({shape.__name__: shape for shape in shapes}, **others)
    return made


def test_shapes_choices_and_what_is_told_of_them_are_written_by_hand_alike():
    written = declaration([module_of(WireSpot, WireSpots, Colour=Colour)], {})
    assert written.partition("\n")[2] == SPOTS


def test_what_all_pictures_share_is_imported_and_not_written_again():
    shared = {Colour: "Colour", "elsewhere": "WireRun"}
    written = declaration([module_of(WireSpot, Colour=Colour)], shared)
    assert 'import type { Colour } from "../../../pictures/browser/wire";' in written
    assert "export type" not in written


def test_a_type_without_a_counterpart_is_no_guess():
    with pytest.raises(KeyError):
        as_typescript(bytes)


def test_every_shape_of_python_goes_to_a_folder_of_the_browser():
    found = senders()
    classes = {
        name
        for file in VIZ.rglob("*.py")
        for name in re.findall(r"^class (Wire\w+)\(", file.read_text("utf-8"), re.MULTILINE)
    }
    written = "".join(declaration(modules, {}) for modules in found.values())
    assert classes == set(re.findall(r"^export interface (\w+)", written, re.MULTILINE))
    assert all(file.parent.is_dir() for file in found)
    assert choices(found[PICTURES])[AttentionKind] == "AttentionKind"
    assert all(f'"{kind}"' in written for kind in get_args(AttentionKind))
