"""The components of the app: each a stub that imports its module from the server, once."""

import json
from collections.abc import Callable
from typing import Any

from streamlit.components.v2 import component

from viz.pictures.served import address, imports_of

_STUB = """
const modules = MODULES.map((name) => import(`${location.origin}FOLDER${name}`));
const [{ mount }, { components }] = await Promise.all(modules);
export default (args) => mount("NAME", components.NAME, args);
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
    modules = json.dumps(imports_of(_PAGE, module))
    stub = _STUB.replace("FOLDER", folder).replace("MODULES", modules).replace("NAME", name)
    return component(f"loupe_{name}", html="", js=stub, isolate_styles=False)
