"""The only adapter to BertViz: it builds the head view of one kind of attention as a page.

BertViz's Python and scripts run unchanged. The page contains the scripts that they would fetch from
elsewhere (require.js, D3, jQuery). Its data are made harmless, and a frame isolates it.
"""

import html
import json
import math
import re
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from jaxtyping import Float
from torch import Tensor

from texts import say, say_of
from viz.pictures.theme import DARK, LIGHT, SANS
from viz.run.axes import AttentionKind, attention_trace, axis_tokens, layer_count
from viz.run.record import Run

LONGEST_TOKEN = 12
"""The number of characters of a token that fit beside BertViz's lines."""

_VENDOR = Path(__file__).parent / "vendor"
_ROOT = "bertviz"
_DECIMALS = 3
_WIDTH = 360
"""The largest height in pixels; a taller view scrolls."""
MOST_DRAWN = 50_000
"""The largest number of lines in sight, which a browser draws in about two seconds."""
MOST_SENT = 600_000
"""The largest number of weights in a document, which is then about 4 MB."""
_AROUND = 70
"""The height in pixels above and below the drawing: the menu, the margins, a scroll bar."""
# The inner frame inherits the outer page's policy, so both pages have the same.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)
_FETCHED_SCRIPT = re.compile(r'^<script src="[^"]*"></script>')
"""The element that loads a script from another host, with which BertViz begins its page."""
_REQUIRE_HERE = """
window.require = { config() {} };
window.requirejs = (names, draw) => draw(jQuery, d3);
"""
_FRAME_STYLE = (
    "html, body { height: 100% } iframe { display: block; border: 0; width: 100%; height: 100% }"
)
_BEFORE_DATA = "const params = "


def bertviz_html(
    run: Run,
    kind: AttentionKind,
    *,
    layer: int | None = None,
    head: int | None = None,
    dark: bool = False,
) -> str:
    """Build a complete HTML document with all layers and heads of one kind of attention.

    It first shows `layer` and `head`. The view is in an inner frame that may run scripts and
    nothing else, because `st.iframe` alone would give it the rights of the app's own page
    (`allow-same-origin`). Raises ValueError if the run is too large.
    """
    if message := too_large(run, kind):
        raise ValueError(message)
    body = _view_by_bertviz(run, kind, layer=layer, head=head)
    libraries = _vendored("jquery.slim.min.js") + _vendored("d3.min.js") + _REQUIRE_HERE
    page = _document(f"<script>{libraries}</script>{body}", _view_style(dark=dark), dark=dark)
    title = html.escape(say("attention.bertviz_frame", kind=say_of("kind", kind)))
    attributes = f'sandbox="allow-scripts" title="{title}" srcdoc="{html.escape(page)}"'
    return _document(f"<iframe {attributes}></iframe>", _FRAME_STYLE, dark=dark)


def _view_by_bertviz(run: Run, kind: AttentionKind, *, layer: int | None, head: int | None) -> str:
    """Let BertViz build its view, and replace the unsafe parts: the loader, the id and the data.

    For a translation model, every kind is passed as cross-attention, the only one with separate
    names for queries and keys. The rows and columns of a model that reads one text share its
    tokens.
    """
    import bertviz  # imported here because it loads IPython, which takes 0.2 s

    # BertViz leaves open scripts that it reads, and Python may warn of them.
    warnings.filterwarnings("ignore", r"unclosed file .*_view\.js", ResourceWarning)
    queries, keys = _tokens(run, kind)
    weights = [weights.unsqueeze(0) for weights in _layers(run, kind)]
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
    made = bertviz.head_view(layer=layer, heads=None if head is None else [head], **given)
    return _tame(made.data)  # pyright: ignore[reportArgumentType, reportOptionalMemberAccess]


def _tame(made: str) -> str:
    """Replace the parts of BertViz's view that must not be shown as they are.

    BertViz draws a new id each time, and Streamlit reloads a page that changes, so the id becomes
    fixed. The data occur twice, the second time in a comment, and a token could end the script.
    """
    before, _, after = _FETCHED_SCRIPT.sub("", made).partition(_BEFORE_DATA)
    parameters, end = json.JSONDecoder().raw_decode(after)
    _, _, program = after[end:].partition("\n")
    before = before.replace(parameters["root_div_id"], _ROOT)
    parameters["root_div_id"] = _ROOT
    return f"{before}{_BEFORE_DATA}{_json(parameters)};\n{program}"


def _layers(run: Run, kind: AttentionKind) -> list[Float[Tensor, "head query key"]]:
    """Return the rounded weights of each layer, in double precision so that they print short."""
    layers = range(layer_count(run.info.config, kind))
    weights = (attention_trace(run, kind, layer).weights[0] for layer in layers)
    return [each.double().round(decimals=_DECIMALS) for each in weights]


def _tokens(run: Run, kind: AttentionKind) -> tuple[list[str], list[str]]:
    queries, keys = axis_tokens(run, kind)
    return [_visible(token) for token in queries], [_visible(token) for token in keys]


def _visible(token: str) -> str:
    """Shorten a token to the length that fits, and show invisible characters as boxes."""
    shown = token if len(token) <= LONGEST_TOKEN else f"{token[: LONGEST_TOKEN - 1]}…"
    return "".join(c if c.isprintable() else "\N{WHITE SQUARE}" for c in shown)


def _json(value: Any) -> str:  # noqa: ANN401 - whatever JSON can hold
    r"""Write JSON that cannot end its script: each `<`, which only texts have, becomes \u003c."""
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


def _view_style(*, dark: bool) -> str:
    """Give BertViz's view the app's colours, because BertViz has no dark page."""
    palette = DARK if dark else LIGHT
    return f"""
        #{_ROOT} {{
          padding: 8px; min-width: {_WIDTH}px; box-sizing: border-box;
          font-family: {SANS} !important; background: none !important;
        }}
        #vis {{ margin-top: 8px }}
        #vis svg {{ display: block; min-width: 100% }}
        text {{ fill: {palette.ink} }}
        #attention {{ filter: {"brightness(1.5)" if dark else "none"} }}
    """


def too_large(run: Run, kind: AttentionKind) -> str | None:
    """Explain why the view would keep a browser busy; return None if it fits."""
    layers = layer_count(run.info.config, kind)
    _, heads, queries, keys = attention_trace(run, kind, 0).weights.shape
    drawn = heads * queries * keys
    if drawn <= MOST_DRAWN and layers * drawn <= MOST_SENT:
        return None
    return say("attention.too_large_why", drawn=drawn, most=min(MOST_DRAWN, MOST_SENT // layers))


def frame_height(run: Run, kind: AttentionKind) -> int:
    """Return the height of the view in pixels, from the sizes in BertViz's script."""
    longest = max(attention_trace(run, kind, 0).weights.shape[-2:])
    return math.ceil(30 + 22.5 * longest) + _AROUND
