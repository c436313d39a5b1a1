from html.parser import HTMLParser

import pytest
from markupsafe import Markup

from viz.pictures.html_table import Cell, Row, table

HOSTILE = '"><script>alert(1)</script><img src=x onerror="alert(1)">'


ELEMENTS = {"div", "table", "caption", "thead", "tbody", "tr", "th", "td"}


class Elements(HTMLParser):
    """A parser that collects every element with its attributes, and every piece of text."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.texts: list[str] = []
        self.feed(markup)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize(
    "made",
    [
        table([HOSTILE], [], kind="x"),
        table(["a"], [[HOSTILE, HOSTILE]]),
        table(["a"], [Row([Cell(HOSTILE, HOSTILE, HOSTILE)], HOSTILE)]),
        table([Cell("a", HOSTILE, HOSTILE)], [["", Cell("b", title=HOSTILE)]]),
        table(["a"], [["b"]], kind=HOSTILE, base=HOSTILE, caption=HOSTILE),
        table(["a"], [["b"]], caption=Cell(HOSTILE, HOSTILE, HOSTILE)),
    ],
)
def test_nothing_but_markup_becomes_elements(made):
    elements = Elements(made)
    assert {tag for tag, _ in elements.found} <= ELEMENTS
    allowed = {"class", "scope", "title", "style", "tabindex", "role", "aria-label"}
    assert all(attributes.keys() <= allowed for _, attributes in elements.found)
    written = "".join(elements.texts) + "".join(
        value for _, attributes in elements.found for value in attributes.values()
    )
    assert HOSTILE in written


def test_markup_stays_and_what_cannot_be_seen_is_a_box():
    shown = table(["a"], [["r", Markup("<b>{}</b>").format("<"), "x\u202ey"]])
    assert "<td><b>&lt;</b></td><td>x□y</td>" in shown


def test_headers_say_what_they_head():
    shown = table(["", "n"], [["one", "1"], ["", "2"]], numeric=[1], caption="Counts")
    tags = [(tag, attributes.get("scope")) for tag, attributes in Elements(shown).found]
    assert tags.count(("th", "col")) == 1  # the column of row names has no header
    assert tags.count(("th", "row")) == 1  # a row without a name has no row header
    assert ("caption", None) in tags
    assert shown.index("<caption>") < shown.index("<thead>")


def test_what_scrolls_can_be_reached_and_says_what_it_is():
    hostile = '"><b onclick=alert(1)>'
    for caption in ("Counts", hostile, Markup("<b>Counts</b> of <i>words</i>")):
        [(_, attributes), *_] = Elements(table(["", "n"], [["a", "1"]], caption=caption)).found
        assert attributes["tabindex"] == "0"
        said = caption.striptags() if isinstance(caption, Markup) else caption
        assert attributes["aria-label"] == said
    [(_, attributes), *_] = Elements(table(["Word", "n"], [["a", "1"]])).found
    assert attributes["aria-label"] == "Word, n"
