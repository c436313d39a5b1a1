from model.text.tokenizer import UnknownWord
from viz.pictures import tokens

HOSTILE = '<script>alert(1)</script> <img src=x onerror="alert(1)">'


def test_everything_typed_is_escaped(checkpoint):
    encoding = checkpoint.info.tokenizers.encode_source(HOSTILE)
    made = [
        tokens.marked_text(HOSTILE, encoding.unknown),
        tokens.marked_text(HOSTILE, (), [tokens.Mark(1, 30, HOSTILE)]),
        tokens.sentence(HOSTILE),
        tokens.sentence(HOSTILE, [tokens.Mark(0, 20, HOSTILE)]),
        tokens.note(HOSTILE),
        tokens.notice(HOSTILE, HOSTILE),
        tokens.heading(HOSTILE, code=HOSTILE, shape=HOSTILE),
        tokens.key_list([(HOSTILE, HOSTILE)]),
        tokens.badges([(True, HOSTILE, HOSTILE)]),
        tokens.replacement(HOSTILE),
        tokens.question(HOSTILE, HOSTILE),
        tokens.token(HOSTILE),
    ]
    for markup in made:
        assert "<script" not in markup
        assert "<img" not in markup


def test_a_page_opens_with_one_question_and_the_answer_may_hold_tokens():
    answer = tokens.joined(["It reads ", tokens.token("<the>"), " most."])
    assert tokens.question("What is <this>?", answer) == (
        '<h1 class="loupe-question">What is &lt;this&gt;?</h1>'
        '<p class="loupe-answer" dir="auto">It reads '
        '<em class="loupe-token">&lt;the&gt;</em> most.</p>'
    )
    assert "<p" not in tokens.question("What is this?")


def test_what_a_link_asks_for_is_no_markdown():
    assert tokens.markdown("**a** [b](c) $x$ :smile:") == (
        "\\*\\*a\\*\\* \\[b\\]\\(c\\) \\$x\\$ \\:smile\\:"
    )
    assert tokens.quoted("x" * 5000) == "x" * 39 + "…"


def test_words_that_are_carried_over_are_underlined_where_they_stand():
    text = "A <zebra> sees 3 laptops & me"
    unknown = [UnknownWord(text="sees", start=10, end=14, nearest=())]
    marks = [tokens.Mark(17, 24, "as {a} noun"), tokens.Mark(2, 9, "as a name")]
    assert tokens.marked_text(text, unknown, marks) == (
        '<p class="loupe-typed" dir="auto">A '
        '<span class="loupe-carried" title="as a name">&lt;zebra&gt;</span> <mark>sees</mark> 3 '
        '<span class="loupe-carried" title="as {a} noun">laptops</span> &amp; me</p>'
    )
    assert tokens.sentence("le laptop.", [tokens.Mark(3, 9, "t")]) == (
        '<p class="loupe-sentence" dir="auto">le '
        '<span class="loupe-carried" title="t">laptop</span>.</p>'
    )


def test_a_long_text_is_shown_in_part():
    markup = tokens.marked_text("x" * 10_000, [UnknownWord("x" * 10_000, 0, 10_000, ())])
    assert len(markup) < 1_000
    assert "<mark>xxx" in markup
    assert "…" in markup


def test_characters_that_cannot_be_seen_are_shown_as_boxes():
    assert tokens.escape("1\u202f000\u00a0: x") == "1\u202f000\u00a0: x"
    assert tokens.escape("a\x00b\u202ec\u200dd\n") == "a□b□c\u200dd\n"


def test_pieces_that_are_not_markup_are_escaped_when_joined():
    assert tokens.joined([tokens.note("a & b"), "<i>"]) == f"{tokens.note('a & b')}&lt;i&gt;"
    assert tokens.escape(tokens.escape("<")) == "&lt;"
    assert "<i>" not in tokens.note("x") + "<i>"
