"""The lecture in the form that the browser receives."""

from typing import TypedDict


class WirePicture(TypedDict):
    """The paths of a picture, below the server's base: for a light page and for a dark one."""

    light: str
    dark: str


class WireShipped(TypedDict):
    """A deck that comes with the app, as in its file."""

    title: str
    slides: int
    text: str
    pictures: dict[str, WirePicture]
    """The pictures by view: the link and the panel of a slide, with # between them."""


class WireLecture(TypedDict):
    """The data of the list of slides."""

    shipped: list[WireShipped]
