"""Everything that Loupe uses of Streamlit without documentation, and why it uses it.

Run this test first after an upgrade: it names everything that no longer exists.
"""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pyarrow as pa
from streamlit.dataframe_util import convert_arrow_table_to_arrow_bytes

from viz.web.shell import SHELL, STATIC

HOUSE = Path(__file__).parents[2]

MARKUP = {
    "stApp": "the whole app: it has the variables of our look, and the state of the script",
    "data-test-script-state": "whether the script runs, for slides and for tests",
    "stMain": "what is scrolled",
    "stMainBlockContainer": "what is on a page: its width, its room, what a slide shows of it",
    "stVerticalBlock": "parts below each other: their distance, where a chart's block ends",
    "stHorizontalBlock": "parts beside each other: to let them wrap",
    "stColumn": "how narrow a column may be",
    "stLayoutWrapper": "around a container with a key: to let it stick, or take no room",
    "stElementContainer": "around one element: to give it a width, or no place",
    "stHtml": "around our own HTML, for the title of the first page",
    "stBidiComponent": "around one of our pictures, where it is a button among others",
    "stHeader": "the bar above all: its height, room for the theme's switch",
    "stToolbar": "its right end",
    "stPageLink-NavLink": "a link of our own row of pages",
    "stSidebar": "hidden in the presenter view",
    "stExpandSidebarButton": "named as its reader speaks, hidden in the presenter view",
    "stSidebarCollapseButton": "pressed before a picture of a page is taken for the guides",
    "stSidebarContent": "the room around it",
    "stSidebarUserContent": "the distance of its parts",
    "stExpander": "a fold: its ground",
    "stButtonGroup": "choices in a row: to let them wrap, and seen in forced colours",
    "stCheckbox": "seen in forced colours",
    "data-selected": "what is chosen in these two, in forced colours",
    "stSlider": "seen in forced colours",
    "stSliderThumbValue": "its number, in forced colours",
    "stProgress": "seen in forced colours",
    "stNumberInput": "how narrow it may be",
    "stSelectbox": "how wide it is in the example of a training",
    "stMultiSelect": "how large its buttons are for a finger",
    "stPopoverBody": "what a popover shows: its ground, in tests",
    "stDataFrame": "has the arrow keys for itself",
    "stPlotlyChart": "a figure: the place of its button, its width in the presenter view",
    "js-plotly-plot": "the figure itself, to save and to audit it",
    "modebar-container": "left out of what is saved",
    "katex": "a formula: its size and its colours",
    "katex-mathml": "its second copy, left out of what is saved",
    "katex-html": "its first copy, which the audit reads once",
    "stException": "none may be there after a walk",
    "stAlertContentError": "none may be there after a walk",
    "stSkeleton": "something is still to come",
    "stSpinner": "something is still to come",
    "stIFrame": "a frame, whose insides are not measured",
    "stIconMaterial": "drawn by a font of pictures, no words",
}
"""Test ids, classes and attributes in Streamlit's pages."""
SERVED = {
    "<head>": "the server's address goes behind it",
    '<html lang="en"': "becomes the reader's language",
    "</body>": "the words while a page loads go before it",
    "__streamlit": "has the server's address",
    "BACKEND_BASE_URL": "its name there",
    "_stcore/stream": "the websocket",
    "_stcore/health": "whether the server is there",
    "_stcore/host-config": "what the browser asks for first",
    "_stcore/upload_file": "what is kept shut",
}
"""Parts of Streamlit's HTML shell, and names shared by the shell and the server."""
PYTHON = {
    "streamlit.runtime.scriptrunner:get_script_run_ctx": "which visit Python runs for",
    "streamlit.runtime.scriptrunner:StopException": "ends the run of a page that was closed",
    "streamlit.runtime.scriptrunner:RerunException": "a run that begins anew keeps its place",
    "streamlit.runtime.scriptrunner:script_runner.modified_sys_path": "left out in a notebook",
    "streamlit.runtime.state.query_params:QueryParams.discard_param_no_forward_msg": "address",
    "streamlit.runtime.state.query_params:QueryParams.set_with_no_forward_msg": "address",
    "streamlit:runtime.exists": "whether there is a server",
    "streamlit:runtime.get_instance": "whose sessions are known",
    "streamlit:runtime.Runtime.is_active_session": "whether a visitor is still there",
    "streamlit:runtime.Runtime._instance": "taken away, so that a notebook can start another",
    "streamlit:config.set_option": "the app's settings in a notebook",
    "streamlit.components.v2:manifest_scanner.scan_component_manifests": "run once, in tests",
    "streamlit.config:is_manually_set": "whether an address was given",
    "streamlit.delta_generator:DeltaGenerator": "the type of a place on a page",
    "streamlit.navigation.page:StreamlitPage": "the type of a page",
    "streamlit.proto.BackMsg_pb2:BackMsg": "what a browser sends, in tests and benchmarks",
    "streamlit.proto.ForwardMsg_pb2:ForwardMsg": "what a server sends, there",
    "streamlit.proto.Element_pb2:Element": "one element of it",
    "streamlit.proto.WidgetStates_pb2:WidgetState": "what a widget has",
    "streamlit.runtime.scriptrunner_utils.script_requests:RerunData": "to make such a run",
}
"""Names that only Streamlit's own code imports."""
WEB_ASSEMBLY = {
    "protobuf": "long.js computes with 64-bit integers, and does so in JavaScript if it is refused",
    "GraphVizChart": "st.graphviz_chart",
    "DeckGlJsonChart": "st.pydeck_chart, and st.map through it",
}
"""Scripts that ask for WebAssembly, besides Loupe's own kernel, and what for."""
DOCUMENTED = {"streamlit.components.v2", "streamlit.testing.v1"}
_NAMES = re.compile(
    r"\bst[A-Z][A-Za-z]+(?:-NavLink)?\b|data-test-[a-z-]+|data-selected\b"
    r"|js-plotly-plot|modebar-[a-z]+|\bkatex(?:-[a-z]+)?\b"
)


def _sources(*kinds: str) -> Iterator[str]:
    files = subprocess.check_output(["git", "ls-files", *kinds], cwd=HOUSE, text=True)
    for name in files.split():
        if HOUSE / name != Path(__file__):
            yield (HOUSE / name).read_text(encoding="utf-8")


def test_the_list_has_all_that_is_used_and_nothing_else() -> None:
    """Every selector and private import in the code has its line above."""
    used = {name for text in _sources("*.css", "*.js", "*.py") for name in _NAMES.findall(text)}
    assert used == set(MARKUP)
    imported = {
        f"{node.module}:{alias.name}"
        for text in _sources("*.py")
        if "streamlit" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
        if (node.module or "").split(".")[0] == "streamlit" and node.module not in DOCUMENTED
        for alias in node.names
    }
    assert {
        name for name in imported if not any(f"{one}.".startswith(f"{name}.") for one in PYTHON)
    } == set()


def test_each_is_in_the_installed_version() -> None:
    """Streamlit's served files have each name as a whole word, and Python can import the others."""
    scripts = [path.read_text(encoding="utf-8") for path in (STATIC / "static/js").glob("*.js")]
    served = "\n".join([SHELL, *scripts])
    built = {"stAlertContentError": "stAlertContent"}  # joined from two parts in the browser
    names = {name: re.escape(built.get(name, name)) for name in (*MARKUP, *SERVED)}
    missing = [name for name in names if not re.search(rf"{names[name]}(?![\w-])", served)]
    for name in PYTHON:
        try:
            resolve_name(name)
        except (ImportError, AttributeError):
            missing.append(name)
    assert missing == []


def test_no_page_depends_on_web_assembly() -> None:
    """Only one script that every page loads asks for it, and it catches the refusal."""
    compiles = r"new WebAssembly\.(?:Module|Instance)\b|WebAssembly\.(?:compile|instantiate)"
    scripts = {path: path.read_text("utf-8") for path in (STATIC / "static/js").glob("*.js")}
    asks = {path.name.split(".")[0]: s for path, s in scripts.items() if re.search(compiles, s)}
    assert set(asks) == set(WEB_ASSEMBLY)
    caught = (
        r"try\{\w+=new WebAssembly\.Instance\(new WebAssembly\.Module\([^)]*\)\),\{\}\)\.exports\}"
        r"catch\{\}"
    )
    assert re.search(compiles, re.sub(caught, "", asks["protobuf"])) is None
    charts = re.compile(r"\b(?:graphviz_chart|pydeck_chart|st\.map)\(")
    assert not any(charts.search(text) for text in _sources("viz/*.py", "app.py", "loupe/*.py"))


def test_arrow_tables_are_sent_as_they_are() -> None:
    """Tables are not compressed, so the browser needs no decoder to read one."""
    table = pa.table({"zeros": np.zeros(4096)})
    sent = convert_arrow_table_to_arrow_bytes(table)
    assert len(sent) > table.nbytes
