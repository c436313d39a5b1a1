"""Says what parts of a page were made for, so that the browser shows none beside another selection.

A choice is drawn in the browser at once, and Python's parts follow. Until they do they are hidden.
"""

from viz.pictures.component import picture

_made = picture("made", "pictures/browser/made.js")


def show_made_for(selection: dict[str, str | int], *places: str, key: str) -> None:
    """Tie containers, by their keys, to the run and the part of a selection that they show."""
    _made(key=key, data={"places": places, "selection": selection})
