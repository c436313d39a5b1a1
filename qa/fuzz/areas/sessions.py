"""Sessions: whole pages opened by a link, with everything that Python gives to the browser."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from qa.fuzz.area import Area, HeldError, Verdict
from qa.fuzz.hostile import numbers, short_texts
from qa.fuzz.outgoing import check_html, check_json, check_markdown, check_text
from viz.address.selection import FIELDS
from viz.pages import PAGES, SUBJECTS

_MODELS = ("everyday-paper-0", "digits-paper", "induction-one-layer", "brackets")
_DEAR = frozenset({"training", "induction", "variants"})
"""Pages that compute for seconds, which are opened less often."""
_SCRIPT = Path(__file__).parents[3] / "viz" / "script.py"
_PARAMETERS = (
    *FIELDS, "tensor", "lang", "lesson", "part", "tour", "scene", "guess", "word",
    "branches", "at", "node", "shaping", "drawn", "decoding", "beam_width",
    "with", "other_source", "other_model", "pinned", "other_sentence", "part_training", "training",
    "snapshot", "lapse_example", "embeddings_side", "positions_change", "positions_where",
    "positions_pos", "causal", "variants_demonstration", "below", "edits", "presenter", "theme",
    "live_steps", "more_cell", "more_stages", "more_heads", "measures",
)  # fmt: skip
"""Names that all pages read from an address."""


def open_area(place: Path) -> Area:
    """Draw a page, a model, two texts and the rest of an address."""
    os.environ["LOUPE_CHECKPOINTS"] = ""
    pages = [page.URL for page in PAGES]
    del place
    urls = st.sampled_from([*(url for url in pages if url not in _DEAR), *pages, "", ""])
    text = short_texts(("the", "cat", "sees", "dog", ".", "copy", "7")).filter(_fits_an_address)
    value = st.one_of(
        numbers(), text, st.sampled_from(("true", "false", "Beam", "cross-attention"))
    )
    models = st.one_of(st.sampled_from(_MODELS), text)
    texts = st.fixed_dictionaries(
        {}, optional={"source": text, "target": text, "checkpoint": models}
    )
    more = st.dictionaries(st.sampled_from(_PARAMETERS), value.filter(_fits_an_address), max_size=6)
    return Area(
        "sessions", st.tuples(urls, texts, more), check, share=60, seconds=90.0, patience=280.0
    )


def _fits_an_address(text: str) -> bool:
    """Return whether a browser can send a text: it has no lone surrogates, and a limited length."""
    return (len(text) < 4_000 and text.isprintable()) or text.isascii()


def show(page: str, inputs: tuple[str, str, str, str]) -> None:
    """Open a page without the rest of the app, to which only files can switch."""
    from importlib import import_module

    import streamlit as st

    from viz.models import running
    from viz.run.inputs import Inputs
    from viz.script import lacks

    module, view = import_module(f"viz.subjects.{page}.page"), running.open_view(Inputs(*inputs))
    if why := lacks(module, view.run.anatomy):
        st.warning(why)
    else:
        module.render(view)


def check(given: tuple[str, Mapping[str, str], Mapping[str, str]]) -> Verdict:
    """Open a page and check that it shows no error, and nothing of the input as markup."""
    url, texts, more = given
    app = _app(url, texts)
    for name, value in {**more, **({} if url else texts)}.items():
        app.query_params[name] = value
    app.run()
    for error in app.exception:
        raise HeldError(f"an exception is shown: {error.value[:300]} {error.stack_trace[-1:]}")
    kinds: set[str] = set()
    for element in (*app.main, *app.sidebar):
        _check_element(element, kinds)
    return "refused" if "warning" in kinds else "accepted"


def _app(url: str, texts: Mapping[str, str]) -> AppTest:
    if not url:
        return AppTest.from_file(str(_SCRIPT), default_timeout=240)
    source = texts.get("source", "").strip() or "the cat sees the dog ."
    name = texts.get("checkpoint", "")
    inputs = (name if name in _MODELS else _MODELS[0], source, texts.get("target", ""), "cpu")
    page = next(name for name, page in zip(SUBJECTS, PAGES, strict=True) if url == page.URL)
    arguments = {"page": page, "inputs": inputs}
    return AppTest.from_function(show, kwargs=arguments, default_timeout=240)


def _check_element(element: Any, kinds: set[str]) -> None:
    kinds.add(element.type)
    proto: Any = getattr(element, "proto", None)
    if element.type == "html":
        check_html(proto.body.replace("<style>", "").replace("</style>", ""), "a page's HTML")
    elif element.type in ("markdown", "warning", "info", "error", "success", "caption"):
        check_markdown(proto.body, f"a {element.type}")
        if getattr(proto, "allow_html", False):
            check_html(proto.body, "a page's Markdown")
    elif element.type == "bidi_component":
        check_json(json.loads(proto.mixed.json or proto.json or "null"), proto.component_name)
    for name in ("label", "help", "placeholder"):
        if isinstance(said := getattr(proto, name, None), str):
            check_text(said, f"a {name}")
            check_markdown(said, f"a {name} of a {element.type}")
