"""Pages of plug-ins: checked when they are loaded; a page that fails shows its error."""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from types import ModuleType
from typing import Any

import streamlit as st

from model import plugins
from model.anatomy import Anatomy
from texts import say
from viz.address.address import page_part
from viz.address.link import follow_selection
from viz.address.selection import Selection
from viz.pictures import tokens
from viz.run.view import View


def plugged_pages(places: Collection[str]) -> tuple[ModuleType, ...]:
    """Load the pages of the installed packages, in the order of their addresses.

    Each one is a module like the app's own pages, made from the plug-in's module. It has `PLACE`,
    `TITLE` and, if the plug-in has it, `cards`, which returns lines of Python.

    Args:
        places: The places of the navigation to which a page may belong.
    """
    check = partial(_checked, places)
    offered = sorted(plugins.names(plugins.PAGES))
    found = (plugins.find(plugins.PAGES, name, check) for name in offered)
    return tuple(page for page in found if page is not None)


def show_left_out() -> None:
    """Show the packages whose plug-ins are left out, with the reasons."""
    for plugin in plugins.known():
        if plugin.is_left_out:
            st.html(tokens.note(plugin.sentence))


def _checked(places: Collection[str], plugin: plugins.Plugin, found: Any) -> ModuleType:  # noqa: ANN401
    """Return the page around a loaded module. Raises PluginError if it lacks a part."""
    _check_parts(places, plugin, found)
    parts: dict[str, object] = {
        "URL": found.URL,
        "PLACE": found.PLACE,
        "TITLE": {"en": found.TITLE} if isinstance(found.TITLE, str) else found.TITLE,
        "render": partial(_render, found.URL, plugin, found.render),
    }
    if needs := getattr(found, "NEEDS", None):
        parts["NEEDS"] = partial(_needs, plugin, needs)
    if model := getattr(found, "MODEL", None):
        parts["MODEL"] = model
    if cards := getattr(found, "cards", None):
        parts["cards"] = partial(_cards, plugin, cards)
    page = ModuleType(found.__name__)
    vars(page).update(parts)
    return page


def _check_parts(places: Collection[str], plugin: plugins.Plugin, found: Any) -> None:  # noqa: ANN401
    def part(name: str) -> object:
        return getattr(found, name, None)

    if not isinstance(found, ModuleType):
        raise plugins.PluginError(f"it must be a module, got {found!r}")
    if part("URL") != plugin.name:
        raise plugins.PluginError(f"URL must be {plugin.name!r}, got {part('URL')!r}")
    title = part("TITLE")
    texts = title.values() if isinstance(title, Mapping) and "en" in title else [title]
    if not all(isinstance(text, str) and text.strip() for text in texts):
        raise plugins.PluginError(
            f'TITLE must be a text, or a dict with a text for "en", got {title!r}'
        )
    if part("PLACE") not in places:
        raise plugins.PluginError(
            f"PLACE must be one of {', '.join(places)}, got {part('PLACE')!r}"
        )
    if not callable(part("render")):
        raise plugins.PluginError("it must define render(view)")
    for name in ("NEEDS", "cards"):
        if part(name) is not None and not callable(part(name)):
            raise plugins.PluginError(f"{name} must be a function, got {part(name)!r}")
    if not isinstance(part("MODEL"), str | None):
        raise plugins.PluginError(f"MODEL must be the name of a model, got {part('MODEL')!r}")


@page_part
def _render(url: str, plugin: plugins.Plugin, render: Callable[[View], None], view: View) -> None:
    """Draw a page; if it fails, show the reason instead."""
    follow_selection(view.run, view.parcel.key, url)
    try:
        with plugins.blaming(plugin):
            render(view)
    except plugins.PluginError as error:
        st.html(tokens.notice(say("plugin.stopped"), str(error)))


def _needs(
    plugin: plugins.Plugin, needs: Callable[[Anatomy], str | None], anatomy: Anatomy
) -> str | None:
    """Return the reason why a page cannot show a model, or the error of the check itself."""
    try:
        with plugins.blaming(plugin):
            why = needs(anatomy)
            return None if why is None else str(why)
    except plugins.PluginError as error:
        return str(error)


def _cards(
    plugin: plugins.Plugin,
    cards: Callable[[View, Selection], Mapping[str, str]],
    view: View,
    selection: Selection,
) -> Mapping[str, str]:
    """Return the page's lines of Python; if that fails, the error as a comment."""
    try:
        with plugins.blaming(plugin):
            return {str(heading): str(lines) for heading, lines in cards(view, selection).items()}
    except plugins.PluginError as error:
        return {say("plugin.stopped"): f"# {error}"}
