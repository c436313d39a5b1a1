"""The script of every page of an app that a process serves for models of its own."""

from loupe.serving import show_page

show_page()
