"""Text and tokens as HTML. Everything that someone typed is escaped here, and only here."""

import html
from collections.abc import Iterable, Sequence

from model.tokenizer import Encoding, UnknownWord

_LONGEST_SHOWN = 400
_KEPT = "\n\u200c\u200d"
"""Line ends, and the joiners within emoji and in the words of some scripts."""


def escape(text: str) -> str:
    """Make any text harmless; what cannot be seen is shown as a box."""
    visible = "".join(c if c.isprintable() or c in _KEPT else "\N{WHITE SQUARE}" for c in text)
    return html.escape(visible)


def source_chips(encoding: Encoding) -> str:
    """Show what the encoder reads."""
    numbered = enumerate(zip(encoding.tokens, encoding.ids, strict=True))
    return _chips(
        _chip(
            token, title=f"position {position}, id {id}", special=encoding.spans[position] is None
        )
        for position, (token, id) in numbered
    )


def output_chips(tokens: Sequence[str], probabilities: Sequence[float]) -> str:
    """Show what was written, each token with a bar as long as its probability."""
    return _chips(
        _chip(
            token,
            title=f"step {step}, probability {probability:.4f}",
            bar=probability,
            special=token == "</s>",
        )
        for step, (token, probability) in enumerate(zip(tokens, probabilities, strict=True))
    )


def marked_text(text: str, unknown: Sequence[UnknownWord]) -> str:
    """Show the text as typed, with the stretches that the model does not know marked in place."""
    shown = text[:_LONGEST_SHOWN]
    parts, position = [], 0
    for word in unknown:
        if word.start < len(shown):
            marked = escape(shown[word.start : word.end])
            parts += [escape(shown[position : word.start]), f"<mark>{marked}</mark>"]
            position = word.end
    parts += [escape(shown[position:]), "…" if len(text) > len(shown) else ""]
    return f'<p class="loupe-typed" dir="auto">{"".join(parts)}</p>'


def heading(text: str, *, code: str = "", shape: str = "") -> str:
    """Head a card: words, then the name and the shape of the tensor in view."""
    parts = [f"<span>{escape(text)}</span>"]
    if code:
        parts.append(f"<code>{escape(code)}</code>")
    if shape:
        parts.append(f'<span class="loupe-shape">{escape(shape)}</span>')
    return f'<h2 class="loupe-heading">{" ".join(parts)}</h2>'


def badges(checks: Iterable[tuple[bool, str, str]]) -> str:
    """Show checks as (passed, words, what was measured)."""
    shown = "".join(
        f'<li class="{"loupe-pass" if passed else "loupe-fail"}">'
        f"<b>{'✓' if passed else '✗'}</b> {escape(words)} <code>{escape(measured)}</code></li>"
        for passed, words, measured in checks
    )
    return f'<ul class="loupe-badges loupe-fit">{shown}</ul>'


def readings(rows: Iterable[tuple[str, str, float]]) -> str:
    """Show for each query token the key token that it reads most, as a table."""
    body = "".join(
        f'<tr><td class="loupe-query">{escape(query)}</td><td class="loupe-key">{escape(key)}</td>'
        f'<td>{weight:.2f}</td><td><i style="width:{max(weight, 0.0) * 100:.0f}%"></i></td></tr>'
        for query, key, weight in rows
    )
    return (
        '<div class="loupe-scroll"><table class="loupe-readings"><thead><tr><th>query</th>'
        '<th>key read most</th><th colspan="2">weight</th></tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def replacement(word: str) -> str:
    """Begin a line that offers known words for an unknown one."""
    return f'<p class="loupe-typed"><mark>{escape(word[:24])}</mark> →</p>'


def sentence(text: str) -> str:
    """Show a sentence for people to read."""
    return f'<p class="loupe-sentence" dir="auto">{escape(text)}</p>'


def note(text: str) -> str:
    """Say something quietly."""
    return f'<p class="loupe-note loupe-fit">{escape(text)}</p>'


def notice(title: str, text: str) -> str:
    """Say what is wrong, and what would work."""
    return (
        f'<div class="loupe-notice" role="status"><b>{escape(title)}</b><p>{escape(text)}</p></div>'
    )


def _chips(chips: Iterable[str]) -> str:
    return f'<ol class="loupe-chips">{"".join(chips)}</ol>'


def _chip(token: str, *, title: str, bar: float | None = None, special: bool = False) -> str:
    classes = "loupe-chip loupe-special" if special else "loupe-chip"
    underline = "" if bar is None else f'<i style="width:{bar * 100:.1f}%"></i>'
    shown = escape(token)
    return (
        f'<li class="{classes}" title="{title}" aria-label="{shown}, {title}">'
        f"<bdi>{shown}</bdi>{underline}</li>"
    )
