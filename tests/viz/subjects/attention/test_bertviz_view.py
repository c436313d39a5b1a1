import hashlib
import json
import re
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import DIGITS
from viz.run.axes import KINDS, all_heads
from viz.run.making import make_run
from viz.run.record import Run
from viz.subjects.attention import bertviz_view
from viz.subjects.attention.bertviz_view import bertviz_html, too_large

VENDOR = Path(bertviz_view.__file__).parent / "vendor"
HOSTILE = (
    "</script><script>ran=1</script>",
    "<img src=x onerror=ran=1>",
    "<!--<script>",
    '"quoted"\\',
    "\x00\x1b[31m\u202e\u2028",
    "\ud800",
    "PYTHON_PARAMS; // HACK: ",
    "&lt;b&gt;",
)


@dataclass
class Page(HTMLParser):
    """A document parsed by the rules of HTML, above all where a script ends."""

    text: str
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)

    def __post_init__(self):
        super().__init__()
        self.feed(self.text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.cdata_elem == "script":
            self.scripts[-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def inner_page(document: str) -> Page:
    (frame,) = Page(document).all("iframe")
    return Page(frame["srcdoc"])


def parameters(document: str) -> dict:
    """Return the parameters that BertViz's own script receives."""
    program = inner_page(document).scripts[1]
    start = re.search(r"const params = ", program).end()
    return json.JSONDecoder().raw_decode(program, start)[0]


def data(document: str) -> dict:
    attention = parameters(document)["attention"]
    (only,) = attention.values() if isinstance(attention, dict) else attention
    return only


@pytest.fixture(scope="module")
def digits_run(checkpoints_folder) -> Run:
    """Make a run of a model with 2 encoder layers and 3 decoder layers."""
    return make_run(load_checkpoint(checkpoints_folder / "digits-paper"), next(iter(DIGITS)))


def with_source_tokens(run: Run, tokens) -> Run:
    padded = (*tokens, *run.source.tokens[len(tokens) :])
    return replace(run, source=replace(run.source, tokens=padded))


@pytest.mark.parametrize("kind", KINDS)
def test_every_layer_and_head_is_in_the_page_with_the_weights_of_the_run(run, digits_run, kind):
    for some_run in (run, digits_run):
        shown = np.array(data(bertviz_html(some_run, kind))["attn"])
        expected = all_heads(some_run, kind).astype(np.float64)
        assert shown.shape == expected.shape
        np.testing.assert_allclose(shown, expected, rtol=0, atol=0.0005 + 1e-9)
        np.testing.assert_array_equal(shown, shown.round(3))


@pytest.mark.parametrize("kind", KINDS)
def test_queries_are_on_the_left_and_keys_on_the_right(digits_run, kind):
    source = ["reverse", "3", "1", "4", "1", "5", "9", "</s>"]
    written = ["9", "5", "1", "4", "1", "3", "</s>"]
    read = ["<s>", "9", "5", "1", "4", "1", "3"]
    expected = {
        "encoder self-attention": (source, source),
        "decoder self-attention": (written, read),
        "cross-attention": (written, source),
    }
    shown = data(bertviz_html(digits_run, kind))
    assert (shown["left_text"], shown["right_text"]) == expected[kind]


def test_no_token_leaves_its_place_in_the_data(run, monkeypatch):
    monkeypatch.setattr(bertviz_view, "LONGEST_TOKEN", 100)
    plain = inner_page(bertviz_html(run, "encoder self-attention"))
    document = bertviz_html(with_source_tokens(run, HOSTILE), "encoder self-attention")
    document.encode("utf-8")  # which fails for a lone surrogate
    page = inner_page(document)
    assert [tag for tag, _ in page.tags] == [tag for tag, _ in plain.tags]
    assert len(page.scripts) == 2
    assert "<" not in page.scripts[1].partition("= {")[2].partition("\n")[0]
    assert data(document)["left_text"][: len(HOSTILE)] == [
        *HOSTILE[:4],
        "□□[31m□□",
        "□",
        *HOSTILE[6:],
    ]


def test_a_page_asks_for_nothing_and_is_locked_in(run):
    outer = Page(bertviz_html(run, "encoder self-attention"))
    (frame,) = outer.all("iframe")
    assert frame["sandbox"] == "allow-scripts"
    assert outer.scripts == []
    inner = Page(frame["srcdoc"])
    for page in (outer, inner):
        (policy,) = [m for m in page.all("meta") if m.get("http-equiv")]
        assert policy["http-equiv"] == "Content-Security-Policy"
        assert policy["content"].startswith("default-src 'none'; script-src 'unsafe-inline';")
        asked = [a for _, attributes in page.tags for a in attributes if a in ("src", "href")]
        assert asked == []
        assert not {tag for tag, _ in page.tags} & {"link", "img", "base", "object", "form"}
    libraries, program = inner.scripts
    for name in ("jquery.slim.min.js", "d3.min.js"):
        assert (VENDOR / name).read_text("utf-8") in libraries
    assert "requirejs(['jquery', 'd3']" in program


def test_both_limits_hold_to_the_last_number(run, monkeypatch):
    kind, drawn = "encoder self-attention", 4 * 14 * 14  # over 2 layers
    for name, most in (("MOST_DRAWN", drawn), ("MOST_SENT", 2 * drawn)):
        with monkeypatch.context() as limits:
            limits.setattr(bertviz_view, name, most)
            assert too_large(run, kind) is None
            limits.setattr(bertviz_view, name, most - 1)
            assert f"would draw {drawn:,} lines" in too_large(run, kind)


def test_what_is_vendored_is_what_its_readme_says():
    lines = (VENDOR / "README.md").read_text("utf-8").splitlines()
    sums = dict(re.match(r"\| `(\S+)` .*`(\w{64})` \|$", line).groups() for line in lines[-2:])
    scripts = {path.name for path in VENDOR.glob("*.js")}
    assert sums.keys() == scripts
    for name, expected in sums.items():
        content = (VENDOR / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == expected
        assert b"</script" not in content.lower()
        assert b"<!--" not in content
