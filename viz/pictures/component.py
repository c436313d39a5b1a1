"""The components of the app: each a stub that imports its module from the server, once."""

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
"""Whole addresses, because a component's code has none from which another could be relative.

All modules at once: else each is asked for only when the one that imports it is here. If a page
has a component twice, WebKit makes the second call before the modules are here.
"""
_PAGE = "pictures/browser/page.js"


def picture(
    name: str, module: str, *, sends: Mapping[str, Shape] | None = None
) -> Callable[..., Any]:
    """Make the component that a module, by its path in viz, has under a name.

    `sends` declares the shape of what the browser tells by each event. A callback is called only if
    the session's state holds a value of that shape, so the callback may rely on it.

    A stub, because Streamlit sends a component's code again with each change of its data. Styles
    are the page's own, so that those too are sent once.
    """
    folder = address(module).removesuffix(module)
    first, second, *rest = imports_of(_PAGE, module)
    modules = json.dumps([first, second, TEXTS, *rest])
    stub = _STUB.replace("FOLDER", folder).replace("MODULES", modules).replace("NAME", name)
    shapes = sends or {}
    mounted = component(f"loupe_{name}", html="", js=stub, isolate_styles=False)

    def show(*, data: Mapping[str, Any], key: str, **calls: Callable[[], None]) -> Any:  # noqa: ANN401
        spoken = language()
        if spoken != LANGUAGES[0]:  # what is not said is English, and costs no byte
            data = {**data, "language": spoken}
        guarded: dict[str, Any] = {}
        for named, call in calls.items():
            event = named.removeprefix("on_").removesuffix("_change")
            guarded[named] = while_there(key, event, call, shapes[event])
        return mounted(data=data, key=key, **guarded)

    return show


def while_there(key: str, event: str, call: Callable[[], None], shape: Shape) -> Callable[[], None]:
    """Make a callback that does nothing unless a value of the shape that it takes is there.

    Of what was chosen in a picture just before another page took its place, Streamlit still tells;
    what has this key by then is the picture of the new page, or nothing. And a browser may send
    anything.
    """

    def called() -> None:
        state = st.session_state.get(key)
        value = state.get(event) if isinstance(state, Mapping) else None
        if value is not None and fits(value, shape):
            call()

    return called
