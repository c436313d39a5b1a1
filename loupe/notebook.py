"""The output of a cell: the page of a run in a frame of its own, which the saved notebook keeps."""

import html

from texts import say
from viz.subjects.attention.standalone import hosting_script

_UNTRUSTED = "loupe-untrusted"
_TAKE_AWAY = f'document.querySelectorAll("p.{_UNTRUSTED}").forEach((words) => words.remove());\n'

_FRAME = """<iframe class="loupe-frame" title="Loupe: {title}" sandbox="allow-scripts" \
style="display: block; width: 100%; height: 640px; border: 0; border-radius: 8px" \
srcdoc="{page}"></iframe>"""


def framed(page: str, title: str) -> str:
    """Put a page into a frame that can reach neither the notebook nor the network."""
    return _FRAME.format(title=html.escape(title), page=html.escape(page))


def cell_output(page: str, title: str) -> str:
    """Return the frame, and the script with which the notebook lends it its colours.

    A notebook that is not trusted shows neither, and the words that the script takes away.
    """
    words = html.escape(f"{title} {say('attention.untrusted')}")
    script = f"{_TAKE_AWAY}{hosting_script()}"
    said = f'<p class="{_UNTRUSTED}">{words}</p>'
    return f"{framed(page, title)}\n{said}\n<script>(() => {{\n{script}}})();</script>"
