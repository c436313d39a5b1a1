"""Hostile texts: real words, with characters that a page, a tokenizer or a file may mishandle."""

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

MARK = "fuzz"
"""The mark in every element, attribute and address of the markup, by which a leak is recognised."""

MARKUP = (
    "<script>fuzz()</script>", "</script><script>fuzz()</script>",
    "<img src=//fuzz.invalid/a onerror=fuzz()>", "<fuzz onfuzz=1>", '"><fuzz a="',
    "' onfuzz='1", '" onfuzz="1', "`onfuzz=1`", "<svg/onload=fuzz()>",
    "<iframe srcdoc='<fuzz>'>", "<a href=javascript:fuzz()>fuzz</a>", "</style><fuzz>",
    "</textarea><fuzz>", "</title><fuzz>", "<!--fuzz-->", "<!-- fuzz", "-->", "]]><fuzz>",
    "<![CDATA[fuzz]]>", "&lt;fuzz&gt;", "&#60;fuzz&#62;", "&amp;lt;fuzz&amp;gt;", "<?fuzz?>",
    "{{fuzz}}", "{fuzz}", "{0}", "${fuzz}", "%{fuzz}", "%s", "%n",
    "[fuzz](http://fuzz.invalid)", "![fuzz](http://fuzz.invalid/a.png)",
    "[fuzz](javascript:fuzz())", "$\\href{http://fuzz.invalid}{fuzz}$", ":red[fuzz]",
    ":material/fuzz:", "**fuzz**", "# fuzz", "| fuzz |",
)  # fmt: skip
SPECIALS = (
    "<s>", "</s>", "<pad>", "<unk>", "<mask>", "<x1>", "<x1s>", "<n1>", "<d1>", "[CLS]",
    "[MASK]", "@@", "##ing", "▁", "␣", "Ġ",
)  # fmt: skip
FORMULAS = ("=1+1", "+1+cmd", "-2+3", "@sum(1)", "\t=1", "=cmd|' /C fuzz'!A0", "＝1")
ODD = (
    "\ud800", "\udfff", "\udcff", "\u202e", "\u2066", "\u2069", "\u200b", "\u200c", "\u200d",
    "\u00ad", "\ufeff", "\ufffe", "\U0010ffff", "\0", "\x01", "\x1b[31m", "\x7f", "\x85",
    "\u2028", "\u2029", "\r", "\n", "\r\n", "\t", "\u00a0", "\u3000", "e\u0301", "\u0301" * 40,
    "\u1100\u1161\u11a8", "İ", "ß", "ﬃ", "ǅ", "٣", "²", "½", "Ⅷ", "🙂", "👩\u200d👧", "🇫🇷",
    "日本語", "עברית", "العربية",
)  # fmt: skip
SEPARATORS = ("", " ", "  ", "-", "'", "’", ".", ",", "!", "?", "\u00a0", "\n")
_RUNS = (
    "!", "?", ".", ",", "'", "-", "a-", "'s", "a'", "\u0301", "<", "&", "[", "\\", " ", "()",
    "\u200d",
)  # fmt: skip
"""Long texts on which a rule that backtracks takes long."""
_LONGEST = 25_000


def long_texts() -> SearchStrategy[str]:
    """Return a long repetition of one thing, between two letters."""
    times = st.sampled_from((50, 400, 4_000, 19_990, _LONGEST))
    return st.builds(
        lambda part, n, end: f"a{(part * n)[:n]}{end}", st.sampled_from(_RUNS), times, _ENDS
    )


_ENDS = st.sampled_from(("a", "", " .", "<fuzz>"))


def pieces(words: Sequence[str] = ()) -> SearchStrategy[str]:
    """Return one word, or a hostile text."""
    strange = st.one_of(
        st.sampled_from(MARKUP),
        st.sampled_from(SPECIALS),
        st.sampled_from(FORMULAS),
        st.sampled_from(ODD),
        st.text(max_size=12),
    )
    return st.one_of(st.sampled_from(list(words)), strange) if words else strange


def short_texts(words: Sequence[str] = ()) -> SearchStrategy[str]:
    """Return some words with hostile texts between them, joined in usual and unusual ways."""
    joined = st.lists(st.tuples(pieces(words), st.sampled_from(SEPARATORS)), max_size=12)
    return joined.map(lambda parts: "".join(text for part in parts for text in part))


def texts(words: Sequence[str] = ()) -> SearchStrategy[str]:
    return st.one_of(*[short_texts(words)] * 30, long_texts())


def numbers() -> SearchStrategy[str]:
    """Return texts for a number in a link, valid and invalid."""
    return st.one_of(
        st.integers(-3, 40).map(str),
        st.sampled_from(
            ("", "-", "-1", "1e9", "1e309", "nan", "inf", "-inf", "0x1", "1_0", "٣", "²", "½", " 1")
        ),
        st.sampled_from(("9" * 9, "9" * 5000, str(2**63), str(-(2**63)), "1.5", "+1", "0" * 20)),
        st.floats().map(repr),
    )
