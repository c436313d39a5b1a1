"""What stands in a page of the site, by name."""

from typing import Any, TypedDict

from viz.frame.wire import WireVocabulary
from viz.run.record import AttentionKind
from viz.run.wire import WireModel, WireRoles


class WireSaid(TypedDict):
    """What the sides and the axes are called."""

    languages: tuple[str, str]
    axes: dict[AttentionKind, tuple[str, str]]


class WireSiteModel(TypedDict):
    """A model, and what Python says of its runs."""

    name: str
    titles: dict[str, str]
    """By language."""
    model: WireModel
    text: str
    """The sentence with which it begins."""
    examples: list[str]
    said: dict[str, WireSaid]
    """Names of the sides and of the axes, by language."""
    roles: WireRoles | None
    words: WireVocabulary
    question: Any
    """What Start asks of that sentence."""


class WireSite(TypedDict):
    """All models of a site; the first one leads."""

    languages: list[str]
    models: list[WireSiteModel]
    inside: dict[str, str] | None
    """The files of the only model in base64, where the page has all inside."""
