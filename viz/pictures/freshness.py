"""Marks the selection of a part of a page, so that the browser does not show an outdated part.

The browser draws a choice at once. Python's parts follow later, and are hidden until then.
"""

from viz.pictures.component import picture

_made = picture("made", "pictures/browser/made.js")


def show_made_for(selection: dict[str, str | int], *places: str, key: str) -> None:
    """Tie containers, by their keys, to the run and the part of the selection that they show."""
    _made(key=key, data={"places": places, "selection": selection})
