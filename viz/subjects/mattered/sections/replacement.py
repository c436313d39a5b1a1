"""The choice of what stands in the place of what is cut."""

from collections.abc import Sequence
from typing import get_args

from model.attribution.cuts import How
from texts import say, say_of
from viz.frame.link_choices import choose_one

HOWS: tuple[How, ...] = get_args(How)


def choose_how(offered: Sequence[How], *, key: str) -> How:
    """Let what is cut be replaced by one of these; the first is the usual one."""
    chosen = choose_one(say("mattered.how"), offered, _said, key=key)
    return next(how for how in offered if how == chosen)


def _said(how: str) -> str:
    return say_of("mattered.how", how)
