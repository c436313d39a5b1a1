"""Rotary positions as config.json describes them, today's way and the old ones."""

from dataclasses import dataclass

from model.imports.settings import Settings

_KINDS = {"default": "default", "linear": "linear", "llama3": "llama3"}
_BASE = 10_000.0


@dataclass(frozen=True)
class Rotary:
    """What a family's config has of rotary positions."""

    base: float
    share: float


def read_rotary(settings: Settings, *, share: float = 1.0) -> Rotary:
    """Read `rope_parameters`, or `rope_theta` and `rope_scaling` of older folders.

    `share` is what the family turns of each head where nothing is said. Raises ValueError on kinds
    whose formula is not computed here.
    """
    base = _number(settings, ("rope_theta", "rotary_emb_base"), _BASE)
    share = _number(settings, ("partial_rotary_factor", "rotary_pct"), share)
    for name in ("rope_scaling", "rope_parameters"):
        if part := settings.part(name):
            base = part.number("rope_theta", base)
            share = part.number("partial_rotary_factor", share)
            _check_kind(part)
            part.refuse_unread()
    return Rotary(base, share)


def _number(settings: Settings, names: tuple[str, ...], default: float) -> float:
    """Give the first field that is there; the others are asked for too."""
    found = [settings.number(name, default) for name in names if settings.has(name)]
    return found[0] if found else default


def _check_kind(part: Settings) -> None:
    for name in ("rope_type", "type"):
        part.choice(name, _KINDS, "default")
