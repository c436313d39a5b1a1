"""The browser's half of the components: one JavaScript library, and a stub for each component."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamlit.components.v2 import component

_VIZ = Path(__file__).parents[1]
_LIBRARY = ("library.js", "canvas.js")
"""What the other files build on, in the order in which they are put together."""

_STUB = """
export default (args) => {
  const loupe = (window.loupe ??= { waiting: [] });
  if (loupe.mount) loupe.mount("NAME", args);
  else loupe.waiting.push(["NAME", args]);
};
"""


def library_source() -> str:
    """Put all files together as one module, as Streamlit sends a component's code as one text.

    Comments and indentation stay here: a third of it.
    """
    files = {path.name: path for path in _VIZ.glob("**/browser/*.js")}
    others = sorted(files.keys() - set(_LIBRARY))
    parts = [files[name].read_text(encoding="utf-8") for name in (*_LIBRARY, *others)]
    lines = (line.strip() for part in parts for line in part.splitlines())
    code = [line for line in lines if line and not line.startswith("//")]
    return "\n".join([*code, "export default () => {};\n"])


_library = component(
    "loupe_library", html="<span></span>", js=library_source(), isolate_styles=False
)


def mount_library() -> None:
    """Give the page the code that draws every picture."""
    _library(key="library")


def picture(name: str) -> Callable[..., Any]:
    """Make the component that `loupe.component(name, ...)` draws.

    A stub, because Streamlit sends a component's code again with each change of its data. Styles
    are the page's own, so that those too are sent once.
    """
    return component(f"loupe_{name}", html="", js=_STUB.replace("NAME", name), isolate_styles=False)
