"""Shows a page in a notebook, in a frame isolated from the notebook and the network."""

import functools
import html
from collections.abc import Callable

from texts import say
from viz.alone.bundle import bundle

_HOST, _WIDGET = "alone/browser/frame_host.js", "alone/browser/widget.js"
_UNTRUSTED = "loupe-untrusted"
_TAKE_AWAY = f'document.querySelectorAll("p.{_UNTRUSTED}").forEach((words) => words.remove());\n'
_FRAME = """<iframe class="loupe-frame" title="Loupe: {title}" sandbox="allow-scripts" \
style="display: block; width: 100%; height: 640px; border: 0; border-radius: 8px" \
srcdoc="{page}"></iframe>"""


def cell_output(text: str, title: str, page: Callable[[], str]) -> dict[str, str]:
    """Return the output of a notebook's cell: a page, or a text if nothing can be drawn.

    A script passes the notebook's colours to the frame of the page. An untrusted notebook runs no
    script and shows no page, only a sentence that the script would remove.
    """
    try:
        frame = _FRAME.format(title=html.escape(title), page=html.escape(page()))
    except ValueError:
        return {"text/plain": text}
    words = html.escape(f"{title} {say('alone.untrusted')}")
    script = f'{_TAKE_AWAY}{bundle(_HOST)}modules["{_HOST}"].hostFrames();\n'
    said = f'<p class="{_UNTRUSTED}">{words}</p>'
    shown = f"{frame}\n{said}\n<script>(() => {{\n{script}}})();</script>"
    return {"text/plain": text, "text/html": shown}


@functools.cache
def widget_module() -> str:
    """Return the module that draws a widget in a notebook."""
    return f'{bundle(_WIDGET)}export default modules["{_WIDGET}"];\n'
