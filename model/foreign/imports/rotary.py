"""Rotary positions as config.json describes them, today's way and the old ones."""

from typing import Any

from model.foreign.imports.settings import Settings

_KINDS = {"default": "default", "linear": "linear", "llama3": "llama3"}
_BASE = 10_000.0


def read_rotary(settings: Settings, *, share: float | None = None, length: int) -> dict[str, Any]:
    """Read `rope_parameters`, or `rope_theta` and `rope_scaling` of older folders.

    Gives the fields of our config. `share` is what the family turns of each head if nothing is
    said, None for a family whose code always turns whole heads; `length` is the longest text.
    Raises ValueError on kinds whose formula is not computed here.
    """
    turned = _number(settings, ("partial_rotary_factor", "rotary_pct"), share or 1.0)
    found: dict[str, Any] = {
        "rotary_base": _number(settings, ("rope_theta", "rotary_emb_base"), _BASE),
    }
    for name in ("rope_scaling", "rope_parameters"):
        if part := settings.part(name):
            found["rotary_base"] = part.number("rope_theta", found["rotary_base"])
            turned = part.number("partial_rotary_factor", turned)
            found |= _stretch(part, length)
            part.refuse_unread()
    if share is None and turned != 1 and "rotary_factor" in found:
        raise ValueError(
            f"partial_rotary_factor of config.json is {turned}, and models of this family turn "
            "whole heads: take it out"
        )
    return found | {"rotary_share": 1.0 if share is None else turned}


def _number(settings: Settings, names: tuple[str, ...], default: float) -> float:
    """Return the first of two names of one field that is there; both are asked for."""
    found = [settings.number(name, default) for name in names if settings.has(name)]
    return found[0] if found else default


def _stretch(part: Settings, length: int) -> dict[str, Any]:
    older = part.choice("type", _KINDS, "default")
    kind = part.choice("rope_type", _KINDS, older)
    if kind == "default":
        return {}
    stretch: dict[str, Any] = {"rotary_factor": part.number("factor")}
    if kind == "llama3":
        stretch["rotary_low"] = part.number("low_freq_factor")
        stretch["rotary_high"] = part.number("high_freq_factor")
        stretch["rotary_context"] = part.whole("original_max_position_embeddings", length)
    return stretch
