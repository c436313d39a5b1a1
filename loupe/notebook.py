"""The output of a cell: the page of a run in a frame of its own, which the saved notebook keeps."""

import html

from viz.subjects.attention.standalone import hosting_script

_FRAME = """<iframe class="loupe-frame" title="Loupe: {title}" sandbox="allow-scripts" \
style="display: block; width: 100%; height: 640px; border: 0; border-radius: 8px" \
srcdoc="{page}"></iframe>"""


def framed(page: str, title: str) -> str:
    """Put a page into a frame that can reach neither the notebook nor the network."""
    return _FRAME.format(title=html.escape(title), page=html.escape(page))


def cell_output(page: str, title: str) -> str:
    """Give the frame, and the script with which the notebook lends it its colours.

    Where scripts of a notebook do not run, the frame follows the colours of the browser.
    """
    return f"{framed(page, title)}\n<script>(() => {{\n{hosting_script()}}})();</script>"
