"""What is sent of the lecture."""

from typing import TypedDict


class WirePicture(TypedDict):
    """The paths of a picture, below the server's base: for a light page and for a dark one."""

    light: str
    dark: str


class WireShipped(TypedDict):
    """A deck that comes with the app, as its file has it."""

    title: str
    slides: int
    text: str
    pictures: dict[str, WirePicture]
    """By view: the link and the panel of a slide, with # between them."""


class WireLecture(TypedDict):
    """What the list of slides is shown with."""

    shipped: list[WireShipped]
