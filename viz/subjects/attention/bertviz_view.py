"""The one adapter to BertViz: its three views of one kind of attention, each a page of its own.

BertViz's Python and scripts run unchanged. What they fetch from elsewhere (require.js, D3, jQuery)
stands in the page, the data are made harmless, and the page is locked in a frame.
"""

import html
import json
import re
import warnings
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from jaxtyping import Float
from torch import Tensor

from model.traces import for_each_head
from texts import say_of
from viz.pictures.theme import DARK, LIGHT, SANS
from viz.run.record import AttentionKind, Run, attention_trace, axis_tokens, layer_count
from viz.subjects.attention.bertviz_size import View, too_large

LONGEST_TOKEN = 12
"""Characters of a token that fit beside BertViz's lines."""

_VENDOR = Path(__file__).parent / "vendor"
_ROOT = "bertviz"
_DECIMALS = 3
_WIDTH = {"head": 360, "model": 990, "neuron": 1030}
"""Of a view in pixels: one that is shown in less scrolls."""
# The inner frame inherits the outer page's policy, so both pages have the same.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)
_FETCHED_SCRIPT = re.compile(r'^<script src="[^"]*"></script>')
"""With which BertViz begins its page: it would come from another host."""
_REQUIRE_HERE = """
window.require = { config() {} };
window.requirejs = (names, draw) => draw(jQuery, d3);
"""
_FRAME_STYLE = (
    "html, body { height: 100% } iframe { display: block; border: 0; width: 100%; height: 100% }"
)
_BEFORE_DATA = "const params = "
_NEURON_MARKUP = f"""
<div id="{_ROOT}">
  <span class="dropdown-label">Layer: </span><select id="layer"></select>
  <span class="dropdown-label">Head: </span><select id="att_head"></select>
  <div id="vis"></div>
</div>
"""


def bertviz_html(
    run: Run,
    kind: AttentionKind,
    view: View,
    *,
    layer: int | None = None,
    head: int | None = None,
    dark: bool = False,
) -> str:
    """Build a complete HTML document with all layers and heads of one kind.

    The head view and the neuron view begin at `layer` and `head`; the model view shows all at once.

    The view sits in an inner frame that may run scripts and nothing else: `st.iframe` alone would
    give it the rights of the app's own page (`allow-same-origin`).

    Raises ValueError on a view that is too large.
    """
    if message := too_large(run, kind, view):
        raise ValueError(message)
    body = (
        _neuron_view(run, kind, layer=layer, head=head, dark=dark)
        if view == "neuron"
        else _view_by_bertviz(run, kind, view, layer=layer, head=head, dark=dark)
    )
    libraries = _vendored("jquery.slim.min.js") + _vendored("d3.min.js") + _REQUIRE_HERE
    page = _document(f"<script>{libraries}</script>{body}", _view_style(view, dark=dark), dark=dark)
    title = html.escape(say_of("attention.bertviz_frame", view, kind=say_of("kind", kind)))
    attributes = f'sandbox="allow-scripts" title="{title}" srcdoc="{html.escape(page)}"'
    return _document(f"<iframe {attributes}></iframe>", _FRAME_STYLE, dark=dark)


def _view_by_bertviz(
    run: Run, kind: AttentionKind, view: View, *, layer: int | None, head: int | None, dark: bool
) -> str:
    """Let BertViz build its view, and exchange what is unfit: the loader, the id and the data.

    Every kind is handed over as cross-attention: it is the one that names queries and keys apart.
    Not so of a model of one text, whose rows and columns are one list of tokens.
    """
    import bertviz  # here, as it loads IPython: 0.2 s that nothing else needs

    # BertViz leaves it to Python to close the scripts that it reads, and Python may warn of that.
    warnings.filterwarnings("ignore", r"unclosed file .*_view\.js", ResourceWarning)
    queries, keys = _tokens(run, kind)
    weights = [weights.unsqueeze(0) for weights in _layers(run, kind, "weights")]
    texts: dict[str, Any] = (
        {"cross_attention": weights, "decoder_tokens": queries, "encoder_tokens": keys}
        if run.anatomy.translates
        else {"attention": weights, "tokens": queries}
    )
    given = {
        **texts,
        "prettify_tokens": False,
        "html_action": "return",  # an IPython object with the text as its `data`
    }
    if view == "head":
        made = bertviz.head_view(layer=layer, heads=None if head is None else [head], **given)
    else:
        made = bertviz.model_view(display_mode="dark" if dark else "light", **given)
    return _tame(made.data)  # pyright: ignore[reportArgumentType, reportOptionalMemberAccess]


def _tame(made: str) -> str:
    """Make a view by BertViz fit to be shown.

    Its id is drawn anew each time, and a page that differs is loaded anew: it gets a fixed one. Its
    data stand there twice, the second time in a comment, and a token in them could end the script.
    """
    before, _, after = _FETCHED_SCRIPT.sub("", made).partition(_BEFORE_DATA)
    parameters, end = json.JSONDecoder().raw_decode(after)
    _, _, program = after[end:].partition("\n")
    before = before.replace(parameters["root_div_id"], _ROOT)
    parameters["root_div_id"] = _ROOT
    return f"{before}{_BEFORE_DATA}{_json(parameters)};\n{program}"


def _neuron_view(
    run: Run, kind: AttentionKind, *, layer: int | None, head: int | None, dark: bool
) -> str:
    """Build what `bertviz.neuron_view.show` returns, which itself runs only models it brings."""
    queries, keys = _tokens(run, kind)
    attention = {
        "left_text": queries,
        "right_text": keys,
        "attn": [weights.tolist() for weights in _layers(run, kind, "weights")],
        "queries": [vectors.tolist() for vectors in _layers(run, kind, "query")],
        "keys": [vectors.tolist() for vectors in _layers(run, kind, "key")],
    }
    parameters = {
        "attention": {"all": attention},
        "default_filter": "all",
        "root_div_id": _ROOT,
        "bidirectional": bool(attention_trace(run, kind, 0).mask.all()),
        "display_mode": "dark" if dark else "light",
        "layer": layer,
        "head": head,
    }
    program = (resources.files("bertviz") / "neuron_view.js").read_text("utf-8")
    data = f"window.bertviz_params = {_json(parameters)};\n"
    return f"{_NEURON_MARKUP}<script>{data}{program}</script>"


def _layers(
    run: Run, kind: AttentionKind, name: Literal["weights", "query", "key"]
) -> list[Float[Tensor, "head position _"]]:
    """Take one tensor of each layer, rounded: in double precision, so that it prints short."""
    layers = range(layer_count(run.info.config, kind))
    heads = run.anatomy.site(kind).heads
    traces = (attention_trace(run, kind, layer) for layer in layers)
    tensors = (for_each_head(getattr(trace, name), heads)[0] for trace in traces)
    return [tensor.double().round(decimals=_DECIMALS) for tensor in tensors]


def _tokens(run: Run, kind: AttentionKind) -> tuple[list[str], list[str]]:
    queries, keys = axis_tokens(run, kind)
    return [_visible(token) for token in queries], [_visible(token) for token in keys]


def _visible(token: str) -> str:
    """Shorten a token to what fits, and show a box for what cannot be seen."""
    shown = token if len(token) <= LONGEST_TOKEN else f"{token[: LONGEST_TOKEN - 1]}…"
    return "".join(c if c.isprintable() else "\N{WHITE SQUARE}" for c in shown)


def _json(value: Any) -> str:  # noqa: ANN401 - whatever JSON can hold
    r"""Write JSON that cannot end the script it stands in: `<` only occurs in texts, as \u003c."""
    return json.dumps(value, separators=(",", ":")).replace("<", r"\u003c")


@cache
def _vendored(name: str) -> str:
    return (_VENDOR / name).read_text("utf-8")


def _document(body: str, style: str, *, dark: bool) -> str:
    palette = DARK if dark else LIGHT
    ground = (
        f":root {{ color-scheme: {'dark' if dark else 'light'} }}\n"
        f"body {{ margin: 0; background: {palette.panel}; color: {palette.ink} }}"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<style>{ground}\n{style}</style></head>\n<body>\n{body}</body></html>\n"
    )


def _view_style(view: View, *, dark: bool) -> str:
    """Colour a view as the app's figures.

    BertViz writes some texts in black on black, and its head view knows no dark page.
    """
    palette = DARK if dark else LIGHT
    ground = "black" if dark else "white"
    return f"""
        #{_ROOT} {{
          padding: 8px; min-width: {_WIDTH[view]}px; box-sizing: border-box;
          font-family: {SANS} !important; background: none !important;
        }}
        #vis {{ margin-top: 8px }}
        #vis svg {{ display: block; min-width: 100% }}
        text {{ fill: {palette.ink} }}
        svg[fill={ground}], rect[fill={ground}] {{ fill: {palette.panel} }}
        #attention {{ filter: {"brightness(1.5)" if dark else "none"} }}
        rect[fill="#222"], rect[fill="#F5F5F5"], .background {{ fill: {palette.grid} }}
    """
