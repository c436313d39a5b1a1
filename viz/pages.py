"""The subjects in the order of the navigation: a word here and a folder there are a page."""

from importlib import import_module

SUBJECTS = (
    "start",
    "attention",
    "map",
    "masks",
    "decoding",
    "positions",
    "embeddings",
    "mattered",
    "variants",
    "training",
)
PAGES = tuple(import_module(f"viz.subjects.{name}.page") for name in SUBJECTS)
"""Each has TITLE, URL and render(view)."""
FIRST = PAGES[0]
