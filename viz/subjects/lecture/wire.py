"""What is sent of the lecture."""

from typing import TypedDict


class WireShipped(TypedDict):
    """A deck that comes with the app, as its file has it."""

    title: str
    slides: int
    text: str


class WireLecture(TypedDict):
    """What the list of slides is shown with."""

    shipped: list[WireShipped]
