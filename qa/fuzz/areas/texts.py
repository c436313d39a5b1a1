"""Typed texts: read by every kind of tokenizer, and shown to their author."""

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from model.checkpoints.metadata import CheckpointInfo
from model.text.encoding import Encoding
from model.text.normalised import UnreadableTextError
from qa.fuzz.area import Area, Verdict, hold
from qa.fuzz.hostile import short_texts, texts
from qa.fuzz.models import MADE, load_info, shipped_kinds, words_of
from qa.fuzz.outgoing import check_html, check_json, check_markdown, check_message, check_text
from texts import LANGUAGES, speaking
from viz.frame.typing_hints import judged
from viz.frame.words import cannot_know, carried_over, page_title
from viz.pictures import tokens
from viz.run.copied_words import marks_of, words_to_tell
from viz.run.record import encode_given, encode_typed


def open_area(place: Path) -> Area:
    """Draw a model, a source, a target and a language."""
    del place
    languages = st.sampled_from(LANGUAGES)
    drawn = [
        st.tuples(st.just(name), texts(words_of(name)), short_texts(words_of(name)), languages)
        for name in (*shipped_kinds(), *MADE)
    ]
    return Area("texts", st.one_of(drawn), check, share=4_100)


def check(given: tuple[str, str, str, Any]) -> Verdict:
    """Encode both, and write all messages about them."""
    name, source, target, language = given
    info = load_info(name)
    with speaking(language):
        for made in (tokens.token, tokens.question, tokens.note, tokens.sentence, tokens.heading):
            check_html(made(source), made.__name__)
        check_html(tokens.notice(source, source), "notice")
        check_markdown(tokens.quoted(source), "quoted")
        check_text(tokens.escape(page_title("page", source)), "the title")
        try:
            read = encode_typed(info, source)
            check_reading(info, source, read)
            written = encode_given(info, target, read)
            check_ids(written, info.tokenizers.target.vocab_size)
        except UnreadableTextError as error:
            check_message(error)
            return "refused"
    return "accepted"


def check_ids(encoding: Encoding, size: int) -> None:
    """Check that a model can read an encoding."""
    lengths = {
        len(part) for part in (encoding.ids, encoding.tokens, encoding.spans, encoding.units)
    }
    hold(len(lengths) == 1, f"the parts of an encoding have {lengths} entries")
    hold(all(0 <= id < size for id in encoding.ids), "an id is out of range")
    check_json(encoding.tokens, "the tokens")


def check_reading(info: CheckpointInfo, text: str, encoding: Encoding) -> None:
    """Check that each token is at its place in the typed text, and that the messages are
    harmless."""
    check_ids(encoding, info.tokenizers.source.vocab_size)
    inside = (span for span in encoding.spans if span)
    hold(all(0 <= a <= b <= len(text) for a, b in inside), "a token is outside of the text")
    told = judged(text, encoding)
    check_json({**told, "text": ""}, "what marks the field")
    marks = [tokens.Mark(*mark) for mark in marks_of(encoding)]
    check_html(tokens.marked_text(text, encoding.unknown, marks), "the marked text")
    if carried := words_to_tell(encoding):
        check_html(tokens.note(carried_over(carried)), "what is carried over")
    strange = [word.text for word in encoding.unknown]
    if strange:
        check_html(tokens.note(cannot_know(strange, len(strange))), "the unknown words")
    for word in encoding.unknown[:6]:
        check_html(tokens.replacement(word.text), "an unknown word")
        for near in word.nearest:
            check_markdown(tokens.markdown(near), "a button")
    info.tokenizers.naming(encoding).target.decode(range(min(50, info.config.target_vocab_size)))
