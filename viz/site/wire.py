"""What stands in a page of the site, by name."""

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
    """What the sides and the axes are called."""

    languages: tuple[str, str]
    axes: dict[AttentionKind, tuple[str, str]]


class WireFirst(TypedDict):
    """The row with which the pages begin."""

    kind: AttentionKind
    layer: int
    head: int
    query: int


class WireSiteModel(TypedDict):
    """A model, and what Python says of its runs."""

    name: str
    titles: dict[str, str]
    """By language."""
    model: WireModel
    pages: list[str]
    """The paths of the pages that show it."""
    text: str
    """The sentence with which it begins."""
    examples: list[str]
    said: dict[str, WireSaid]
    """Names of the sides and of the axes, by language."""
    map: dict[str, WireSiteMap]
    """By language."""
    embeddings: WireSiteEmbeddings | None
    roles: WireRoles | None
    words: WireVocabulary
    begins: WireFirst
    question: Any
    """The sentences of Start; see viz/subjects/start/wire.py."""


class WireStep(TypedDict):
    """One step of a lesson, and all that is said after each answer."""

    page: str
    query: dict[str, str]
    """Of its link."""
    interventions: list[WireIntervention]
    asked: WireLesson
    """With all hints."""
    cover: WireCover
    answers: dict[str, Any]
    """By the names of the options what is said of each."""
    after: Any
    """What of `asked` is another once it was answered."""
    uncovered: WireCover
    """What is hidden then, since a later step asks for it."""


class WireSiteLesson(WireListed):
    """A lesson of the list; where the page has all inside, with its steps."""

    steps: list[WireStep] | None


class WirePicture(TypedDict):
    """The picture of a slide, as SVG: for a light page and for a dark one."""

    light: str
    dark: str


class WireGiven(TypedDict):
    """A lecture: the file as the browser reads it, and the slides whose view the site lacks."""

    text: str
    elsewhere: list[int]
    pictures: dict[str, WirePicture | None]
    """By the places of such slides; None if the site has it as a file."""


class WireSite(TypedDict):
    """All models of a site, the first one leads; its lessons by language; its lecture."""

    languages: list[str]
    models: list[WireSiteModel]
    lessons: dict[str, list[WireSiteLesson]]
    lecture: WireGiven | None
    inside: str | None
    """The description of the only model, as JSON, if the page has all inside."""
    home: str
    """The address of the project; empty if none was given."""
