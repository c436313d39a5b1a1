"""The data in a page of the site, by name."""

from typing import Any, TypedDict

from viz.frame.wire import WireVocabulary
from viz.heads.wire import WireRoles
from viz.lessons.in_app.wire import WireLesson
from viz.run.axes import AttentionKind
from viz.run.wire import WireCover, WireIntervention, WireModel
from viz.site.embeddings import WireSiteEmbeddings
from viz.site.map import WireSiteMap
from viz.subjects.lessons.wire import WireListed


class WireSaid(TypedDict):
    """The names of the sides and the axes."""

    languages: tuple[str, str]
    axes: dict[AttentionKind, tuple[str, str]]


class WireFirst(TypedDict):
    """The row that the pages select first."""

    kind: AttentionKind
    layer: int
    head: int
    query: int


class WireSiteModel(TypedDict):
    """A model, with Python's words about its runs."""

    name: str
    titles: dict[str, str]
    """The titles by language."""
    model: WireModel
    pages: list[str]
    """The paths of the pages that show it."""
    text: str
    """The first sentence."""
    examples: list[str]
    said: dict[str, WireSaid]
    """Names of the sides and of the axes, by language."""
    map: dict[str, WireSiteMap]
    """The maps by language."""
    embeddings: WireSiteEmbeddings | None
    roles: WireRoles | None
    words: WireVocabulary
    begins: WireFirst
    question: Any
    """The sentences of Start; see viz/subjects/start/wire.py."""


class WireStep(TypedDict):
    """One step of a lesson, with the reply to each answer."""

    page: str
    query: dict[str, str]
    """The parameters of its link."""
    interventions: list[WireIntervention]
    asked: WireLesson
    """The step as a question, with all hints."""
    cover: WireCover
    answers: dict[str, Any]
    """The reply to each option, by its name."""
    after: Any
    """The fields of `asked` that change after the answer."""
    uncovered: WireCover
    """The parts hidden after the answer, because a later step asks about them."""


class WireSiteLesson(WireListed):
    """A lesson in the list; with its steps if the page contains everything."""

    steps: list[WireStep] | None


class WirePicture(TypedDict):
    """The picture of a slide as SVG, for a light page and for a dark one."""

    light: str
    dark: str


class WireGiven(TypedDict):
    """A lecture: the file as the browser reads it, and the slides whose view the site lacks."""

    text: str
    elsewhere: list[int]
    pictures: dict[str, WirePicture | None]
    """Pictures by the index of such slides; None if the picture is a file of the site."""


class WireSite(TypedDict):
    """All models of a site, the first one as the default; its lessons by language; its lecture."""

    languages: list[str]
    models: list[WireSiteModel]
    lessons: dict[str, list[WireSiteLesson]]
    lecture: WireGiven | None
    inside: str | None
    """The description of the only model, as JSON, if the page contains everything."""
    home: str
    """The address of the project; empty if none was given."""
