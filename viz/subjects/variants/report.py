"""What the variants wrote, as HTML."""

from collections.abc import Mapping

from markupsafe import Markup

from texts import say, say_of
from viz.pictures.tokens import escape, joined
from viz.run.text_diff import rewording
from viz.subjects.variants.reading_ahead import PAPER

_MARKS = {
    "same": Markup("{} "),
    "gone": Markup("<del>{}</del> "),
    "new": Markup("<ins>{}</ins> "),
}


def written_list(written: Mapping[str, str]) -> Markup:
    """Show what each variant writes, with the words marked that the paper's does not."""
    return Markup('<dl class="variants-written">{}</dl>').format(
        joined(
            Markup('<dt>{}</dt><dd dir="auto">{}</dd>').format(
                say_of("frame.variant", name),
                _compared(written[PAPER], text)
                if text
                else Markup("<em>{}</em>").format(say("variants.nothing")),
            )
            for name, text in written.items()
        )
    )


def _compared(paper: str, text: str) -> Markup:
    return joined(
        _MARKS[stretch.fate].format(escape(stretch.text)) for stretch in rewording(paper, text)
    )
