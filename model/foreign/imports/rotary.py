"""Reads rotary positions from config.json, in its current and its older formats."""

from typing import Any

from model.foreign.imports.settings import Settings

_KINDS = {"default": "default", "linear": "linear", "llama3": "llama3"}
_BASE = 10_000.0


_OTHERS = ("rope_theta", "rotary_emb_base", "partial_rotary_factor", "rotary_pct")


def read_rotary(
    settings: Settings,
    *,
    base: str = "rope_theta",
    share: tuple[str, float] | None = None,
    length: int,
) -> dict[str, Any]:
    """Read `rope_parameters`, or the older fields in their place, as fields of Loupe's config.

    Args:
        settings: The fields of config.json.
        base: The name of the older field with the base.
        share: The name of the older field with the share of each head that is rotated, and its
            default; None for a family whose code always rotates whole heads.
        length: The length of the longest text.

    Raises:
        ValueError: On kinds whose formula Loupe does not compute.
    """
    found: dict[str, Any] = {"rotary_base": settings.number(base, _BASE)}
    name, usual = share or ("partial_rotary_factor", 1.0)
    turned = settings.number(name, usual)
    settings.ignore(*_OTHERS)  # those that the family's code does not read
    parts = (settings.part("rope_scaling"), settings.part("rope_parameters"))
    if part := next((part for part in parts if part), None):
        found["rotary_base"] = part.number("rope_theta", found["rotary_base"])
        turned = part.number("partial_rotary_factor", turned)
        found |= _stretch(part, length)
        part.refuse_unread()
    if share is None and turned != 1 and "rotary_factor" in found:
        raise ValueError(
            f"partial_rotary_factor of config.json is {turned}, but models of this family "
            "rotate whole heads: remove it"
        )
    return found | {"rotary_share": 1.0 if share is None else turned}


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
