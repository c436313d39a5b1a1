"""The components of the app: each a stub that imports its module from the server, once."""

from collections.abc import Callable
from typing import Any

from streamlit.components.v2 import component

from viz.pictures.served import address

_STUB = """
const server = `${location.origin}FOLDER`;
const [{ mount }, { components }] = await Promise.all([
  import(`${server}pictures/browser/page.js`),
  import(`${server}MODULE`),
]);
export default (args) => mount("NAME", components.NAME, args);
"""
"""A whole address, because a component's code has none from which another could be relative."""


def picture(name: str, module: str) -> Callable[..., Any]:
    """Make the component that a module, by its path in viz, has under a name.

    A stub, because Streamlit sends a component's code again with each change of its data. Styles
    are the page's own, so that those too are sent once.
    """
    folder = address(module).removesuffix(module)
    stub = _STUB.replace("FOLDER", folder).replace("MODULE", module).replace("NAME", name)
    return component(f"loupe_{name}", html="", js=stub, isolate_styles=False)
