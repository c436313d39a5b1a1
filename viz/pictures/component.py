"""The components of the app; each is a stub that imports its module from the server once."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from texts import LANGUAGES, language
from viz.pictures.arrivals import Shape, fits
from viz.pictures.browser_modules import TEXTS, imports_of
from viz.pictures.served import address

_STUB = """
let parts = null;
const modules = MODULES.map((name) => import(`${location.origin}FOLDER${name}`));
const coming = Promise.all(modules).then((loaded) => (parts = loaded));
await coming;
function draw(args) {
  const [{ mount }, { components }, { TEXTS }] = parts;
  return mount("NAME", components.NAME, args, TEXTS);
}
export default function (args) {
  if (parts) return draw(args);
  let end = null;
  let isLeft = false;
  coming.then(() => isLeft || (end = draw(args)));
  return () => {
    isLeft = true;
    end?.();
  };
}
"""
"""Addresses are absolute, because a component's code has no address to be relative to. All modules
are requested at once; otherwise each would be requested only after its importer arrived. If a page
has a component twice, WebKit makes the second call before the modules are there."""
_PAGE = "pictures/browser/page.js"


def picture(
    name: str, module: str, *, sends: Mapping[str, Shape] | None = None
) -> Callable[..., Any]:
    """Make a component of the app from a module, given by its path in viz.

    `sends` declares the shape of the message for each event. A callback runs only if the session's
    state holds a value of that shape, so the callback may rely on it. The component is a stub
    because Streamlit sends its code again with each change of its data. Styles belong to the page,
    so that they are sent only once.
    """
    folder = address(module).removesuffix(module)
    first, second, *rest = imports_of(_PAGE, module)
    modules = json.dumps([first, second, TEXTS, *rest])
    stub = _STUB.replace("FOLDER", folder).replace("MODULES", modules).replace("NAME", name)
    shapes = sends or {}
    mounted = component(f"loupe_{name}", html="", js=stub, isolate_styles=False)

    def show(*, data: Mapping[str, Any], key: str, **calls: Callable[[], None]) -> Any:  # noqa: ANN401
        spoken = language()
        if spoken != LANGUAGES[0]:  # English needs no mark
            data = {**data, "language": spoken}
        guarded: dict[str, Any] = {}
        for named, call in calls.items():
            event = named.removeprefix("on_").removesuffix("_change")
            guarded[named] = while_there(key, event, call, shapes[event])
        return mounted(data=data, key=key, **guarded)

    return show


def while_there(key: str, event: str, call: Callable[[], None], shape: Shape) -> Callable[[], None]:
    """Make a callback that does nothing unless a value of the expected shape is present.

    Streamlit may report a choice that was made just before another page was opened. The key then
    belongs to a picture of the new page, or to nothing. And a browser may send anything.
    """

    def called() -> None:
        state = st.session_state.get(key)
        value = state.get(event) if isinstance(state, Mapping) else None
        if value is not None and fits(value, shape):
            call()

    return called
