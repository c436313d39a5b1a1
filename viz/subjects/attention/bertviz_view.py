"""The one adapter to BertViz: its head view of one kind of attention, a page of its own.

BertViz's Python and scripts run unchanged. What they fetch from elsewhere (require.js, D3, jQuery)
stands in the page, the data are made harmless, and the page is locked in a frame.
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
"""Characters of a token that fit beside BertViz's lines."""

_VENDOR = Path(__file__).parent / "vendor"
_ROOT = "bertviz"
_DECIMALS = 3
_WIDTH = 360
"""In pixels: shown in less, it scrolls."""
MOST_DRAWN = 50_000
"""Lines in sight: a browser draws them in about two seconds."""
MOST_SENT = 600_000
"""Numbers in a document: about 4 MB."""
_AROUND = 70
"""Pixels above and below the drawing: the menu, the margins, a scroll bar."""
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


def bertviz_html(
    run: Run,
    kind: AttentionKind,
    *,
    layer: int | None = None,
    head: int | None = None,
    dark: bool = False,
) -> str:
    """Build a complete HTML document with all layers and heads of one kind.

    It begins at `layer` and `head`.

    The view sits in an inner frame that may run scripts and nothing else: `st.iframe` alone would
    give it the rights of the app's own page (`allow-same-origin`).

    Raises ValueError on a run that is too large.
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
    """Let BertViz build its view, and exchange what is unfit: the loader, the id and the data.

    Every kind is handed over as cross-attention: it is the one that names queries and keys apart.
    Not so of a model of one text, whose rows and columns are one list of tokens.
    """
    import bertviz  # here, as it loads IPython: 0.2 s that nothing else needs

    # BertViz leaves it to Python to close the scripts that it reads, and Python may warn of that.
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


def _layers(run: Run, kind: AttentionKind) -> list[Float[Tensor, "head query key"]]:
    """Take the weights of each layer, rounded: in double precision, so that they print short."""
    layers = range(layer_count(run.info.config, kind))
    weights = (attention_trace(run, kind, layer).weights[0] for layer in layers)
    return [each.double().round(decimals=_DECIMALS) for each in weights]


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


def _view_style(*, dark: bool) -> str:
    """Colour a view as the app's figures.

    BertViz' head view knows no dark page.
    """
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
    """Explain why the view would keep a browser busy, or None where it fits."""
    layers = layer_count(run.info.config, kind)
    _, heads, queries, keys = attention_trace(run, kind, 0).weights.shape
    drawn = heads * queries * keys
    if drawn <= MOST_DRAWN and layers * drawn <= MOST_SENT:
        return None
    return say("attention.too_large_why", drawn=drawn, most=min(MOST_DRAWN, MOST_SENT // layers))


def frame_height(run: Run, kind: AttentionKind) -> int:
    """Return the height of the view in pixels, from the sizes that stand in BertViz's script."""
    longest = max(attention_trace(run, kind, 0).weights.shape[-2:])
    return math.ceil(30 + 22.5 * longest) + _AROUND
