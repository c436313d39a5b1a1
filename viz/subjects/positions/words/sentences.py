"""Sentences about an encoding, computed from its numbers."""

import math
from collections.abc import Sequence

from texts import say, say_of
from viz.pictures.numbers import error_text, number_text
from viz.subjects.positions.geometry import Turn, formula_angle
from viz.subjects.positions.reruns import Change, Where
from viz.subjects.positions.table import PAPER_BASE, PositionTable
from viz.subjects.positions.words.kinds import of_written
from viz.subjects.positions.words.labels import wavelength


def describe(table: PositionTable) -> str:
    """Describe the kind of encoding, and the effect of its mistake if it has one."""
    d = table.d_model
    waves = table.wavelengths
    if waves is None:
        return _describe_without_waves(table)
    if table.kind == "single_frequency":
        return say("positions.one_wave", pairs=d // 2, wave=wavelength(waves[0]), count=d)
    grow = say(
        "positions.waves_grow",
        least=wavelength(waves.min()),
        most=wavelength(waves.max()),
        dimension=int(waves.argmax()),
    )
    return grow if table.kind == "sinusoidal" else f"{grow} {_say_double_sine(table)}"


def _describe_without_waves(table: PositionTable) -> str:
    if table.kind == "none":
        return say("positions.no_position")
    return say("positions.learned_table", count=table.d_model, positions=table.length)


def _say_double_sine(table: PositionTable) -> str:
    """Compare how fast the waves grow with the dimension: by 2·log(1000) to log(10000)."""
    faster = number_text(2 * math.log(table.base) / math.log(PAPER_BASE)).rstrip("0")
    return say("positions.double_sine", base=table.base, faster=faster)


def say_rotation(turns: Sequence[Turn]) -> str:
    """State whether one rotation fits all positions."""
    if all(t.is_empty for t in turns):
        return say("positions.all_zero")
    if not all(t.is_rotation for t in turns):
        return say("positions.no_rotation")
    return say("positions.rotation")


def turn_title(table: PositionTable, found: Turn) -> str:
    """Name a pair, with the angle by which the formula rotates it."""
    angle = formula_angle(table, found.pair, found.shift)
    if found.is_empty:
        return say("positions.pair_zeros", pair=found.pair)
    if angle is None or not found.is_rotation:
        return say("positions.pair_no_rotation", pair=found.pair)
    return say("positions.pair_angle", pair=found.pair, degrees=math.degrees(angle))


def rotation_badge(found: Turn) -> tuple[bool, str, str]:
    """Check whether one rotation shifts a pair at every position."""
    words = say("positions.rotation_badge", pair=found.pair, shift=found.shift)
    return found.is_rotation, words, error_text(found.error)


def answer(asked: tuple[Change, Where] | None, text: str = "", *, same: bool, added: bool) -> str:
    """Describe the purpose of positions, by what the model writes with changed ones.

    Args:
        asked: The change in the rerun, and its side; None without a rerun.
        text: The text that the rerun writes.
        same: Whether it equals the text of the unchanged model.
        added: Whether the model adds positions at all.
    """
    if not added:
        return say("positions.bag")
    told = f"{say('positions.no_order')} {say_of('positions.told', 'added')}"
    if asked != ("zeroed", "both"):
        return told
    return f"{told} {of_written(text, same=same)}"
