from model.tokenizer import UnknownWord
from viz.components import tokens

HOSTILE = '<script>alert(1)</script> <img src=x onerror="alert(1)">'


def test_everything_typed_is_escaped(checkpoint):
    encoding = checkpoint.info.tokenizers.encode_source(HOSTILE)
    made = [
        tokens.source_chips(encoding),
        tokens.marked_text(HOSTILE, encoding.unknown),
        tokens.output_chips([HOSTILE], [0.5]),
        tokens.sentence(HOSTILE),
        tokens.note(HOSTILE),
        tokens.notice(HOSTILE, HOSTILE),
        tokens.heading(HOSTILE, code=HOSTILE, shape=HOSTILE),
        tokens.readings([(HOSTILE, HOSTILE, 0.5)]),
        tokens.badges([(True, HOSTILE, HOSTILE)]),
        tokens.replacement(HOSTILE),
    ]
    for markup in made:
        assert "<script" not in markup
        assert "<img" not in markup


def test_a_written_token_carries_its_probability_as_length_and_as_text():
    markup = tokens.output_chips(["chat", "</s>"], [0.9371, 1.0])
    assert 'title="step 0, probability 0.9371"' in markup
    assert 'aria-label="chat, step 0, probability 0.9371"' in markup
    assert "width:93.7%" in markup
    assert "&lt;/s&gt;" in markup


def test_unknown_words_are_marked_where_they_stand():
    unknown = [UnknownWord(text="zebra", start=4, end=9, nearest=())]
    assert "the <mark>zebra</mark> &amp; cat" in tokens.marked_text("the zebra & cat", unknown)


def test_a_long_text_is_shown_in_part():
    markup = tokens.marked_text("x" * 10_000, [UnknownWord("x" * 10_000, 0, 10_000, ())])
    assert len(markup) < 1_000
    assert "<mark>xxx" in markup
    assert "…" in markup


def test_characters_that_cannot_be_seen_are_shown_as_boxes():
    assert tokens.escape("a\x00b\u202ec\u200dd\n") == "a□b□c\u200dd\n"


def test_a_failed_check_is_told_apart_by_more_than_its_colour():
    markup = tokens.badges([(True, "rows sum to 1", "± 1e-07"), (False, "leaks", "0.25")])
    assert "<b>✓</b> rows sum to 1" in markup
    assert "<b>✗</b> leaks" in markup
