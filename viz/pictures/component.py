"""The components of the app: each a stub that imports its module from the server, once."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from texts import LANGUAGES, language
from viz.pictures.browser_modules import TEXTS, address, imports_of

_STUB = """
const modules = MODULES.map((name) => import(`${location.origin}FOLDER${name}`));
const [{ mount }, { components }, { TEXTS }] = await Promise.all(modules);
export default (args) => mount("NAME", components.NAME, args, TEXTS);
"""
"""Whole addresses, because a component's code has none from which another could be relative.

All modules at once: else each is asked for only when the one that imports it is here.
"""
_PAGE = "pictures/browser/page.js"


def picture(name: str, module: str) -> Callable[..., Any]:
    """Make the component that a module, by its path in viz, has under a name.

    A stub, because Streamlit sends a component's code again with each change of its data. Styles
    are the page's own, so that those too are sent once.
    """
    folder = address(module).removesuffix(module)
    first, second, *rest = imports_of(_PAGE, module)
    modules = json.dumps([first, second, TEXTS, *rest])
    stub = _STUB.replace("FOLDER", folder).replace("MODULES", modules).replace("NAME", name)
    mounted = component(f"loupe_{name}", html="", js=stub, isolate_styles=False)

    def show(*, data: Mapping[str, Any], key: str, **calls: Callable[[], None]) -> Any:  # noqa: ANN401
        spoken = language()
        if spoken != LANGUAGES[0]:  # what is not said is English, and costs no byte
            data = {**data, "language": spoken}
        guarded: dict[str, Any] = {
            name: while_there(key, name.removeprefix("on_").removesuffix("_change"), call)
            for name, call in calls.items()
        }
        return mounted(data=data, key=key, **guarded)

    return show


def while_there(key: str, event: str, call: Callable[[], None]) -> Callable[[], None]:
    """Make a callback that does nothing where the value that it is to take is not there.

    Of what was chosen in a picture just before another page took its place, Streamlit still tells;
    what has this key by then is the picture of the new page, or nothing.
    """

    def called() -> None:
        if event in st.session_state.get(key, {}):
            call()

    return called
