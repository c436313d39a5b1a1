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
from viz.run.record import KINDS, Run, all_heads, attention_trace, make_run
from viz.subjects.attention import bertviz_view
from viz.subjects.attention.bertviz_size import views_for
from viz.subjects.attention.bertviz_view import bertviz_html

VENDOR = Path(bertviz_view.__file__).parent / "vendor"
VIEWS = [(kind, view) for kind in KINDS for view in views_for(kind)]
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
    """A document taken apart by the rules of HTML: where a script ends, above all."""

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
    """What BertViz's own script is handed."""
    program = inner_page(document).scripts[1]
    start = re.search(r"(?:const params|window\.bertviz_params) = ", program).end()
    return json.JSONDecoder().raw_decode(program, start)[0]


def data(document: str) -> dict:
    attention = parameters(document)["attention"]
    (only,) = attention.values() if isinstance(attention, dict) else attention
    return only


@pytest.fixture(scope="module")
def digits_run(checkpoints_folder) -> Run:
    """Of a model with 2 encoder layers and 3 decoder layers."""
    return make_run(load_checkpoint(checkpoints_folder / "digits-paper"), next(iter(DIGITS)))


def with_source_tokens(run: Run, tokens) -> Run:
    padded = (*tokens, *run.source.tokens[len(tokens) :])
    return replace(run, source=replace(run.source, tokens=padded))


@pytest.mark.parametrize(("kind", "view"), VIEWS)
def test_every_layer_and_head_is_in_the_page_with_the_weights_of_the_run(
    run, digits_run, kind, view
):
    for some_run in (run, digits_run):
        shown = np.array(data(bertviz_html(some_run, kind, view))["attn"])
        expected = all_heads(some_run, kind).astype(np.float64)
        assert shown.shape == expected.shape
        np.testing.assert_allclose(shown, expected, rtol=0, atol=0.0005 + 1e-9)
        np.testing.assert_array_equal(shown, shown.round(3))


@pytest.mark.parametrize(("kind", "view"), VIEWS[::2])
def test_queries_are_on_the_left_and_keys_on_the_right(digits_run, kind, view):
    source = ["reverse", "3", "1", "4", "1", "5", "9", "</s>"]
    written = ["9", "5", "1", "4", "1", "3", "</s>"]
    read = ["<s>", "9", "5", "1", "4", "1", "3"]
    expected = {
        "encoder self-attention": (source, source),
        "decoder self-attention": (written, read),
        "cross-attention": (written, source),
    }
    shown = data(bertviz_html(digits_run, kind, view))
    assert (shown["left_text"], shown["right_text"]) == expected[kind]


@pytest.mark.parametrize("kind", KINDS[:2])
def test_the_neuron_view_has_the_queries_and_keys_whose_products_are_the_scores(run, kind):
    shown = data(bertviz_html(run, kind, "neuron"))
    for layer in range(2):
        attention = attention_trace(run, kind, layer)
        query, key = np.array(shown["queries"][layer]), np.array(shown["keys"][layer])
        np.testing.assert_allclose(query, attention.query[0], atol=0.0005 + 1e-6)
        np.testing.assert_allclose(key, attention.key[0], atol=0.0005 + 1e-6)
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
        np.testing.assert_allclose(scores, attention.scores[0], atol=0.02)


def test_the_neuron_view_hides_later_keys_only_where_the_model_does(run, unmasked_run):
    def bidirectional(some_run, kind):
        return parameters(bertviz_html(some_run, kind, "neuron"))["bidirectional"]

    assert bidirectional(run, "encoder self-attention") is True
    assert bidirectional(run, "decoder self-attention") is False
    assert bidirectional(unmasked_run, "decoder self-attention") is True


@pytest.mark.parametrize("view", ["head", "model", "neuron"])
def test_no_token_leaves_its_place_in_the_data(run, monkeypatch, view):
    monkeypatch.setattr(bertviz_view, "LONGEST_TOKEN", 100)
    plain = inner_page(bertviz_html(run, "encoder self-attention", view))
    document = bertviz_html(with_source_tokens(run, HOSTILE), "encoder self-attention", view)
    document.encode("utf-8")  # a lone surrogate cannot be
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


@pytest.mark.parametrize("view", ["head", "model", "neuron"])
def test_a_page_asks_for_nothing_and_is_locked_in(run, view):
    outer = Page(bertviz_html(run, "encoder self-attention", view))
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
