import re

import pytest
from markupsafe import Markup

from viz.pictures import glossary

TERMS = [(key, term) for group in glossary.TERMS.values() for key, term in group.items()]


def test_a_term_is_a_button_that_names_its_explanation():
    assert glossary.term("softmax") == (
        '<span class="loupe-term" role="button" tabindex="0" aria-expanded="false" '
        'data-term="softmax">softmax</span>'
    )
    assert ">the &lt;b&gt; keys</span>" in glossary.term("key", "the <b> keys")


def test_a_term_that_is_not_explained_is_an_error():
    with pytest.raises(ValueError, match=r"a term must be one of attention, .*, got nonsense"):
        glossary.term("nonsense")


def test_the_first_mention_of_each_term_in_a_text_can_be_asked():
    text = "Keys & causal masks: a mask of monkeys hides a key. Self-attention, then attention."
    made = glossary.explained(text)
    asked = re.findall(r'data-term="([^"]+)">([^<]+)<', made)
    assert asked == [
        ("key", "Keys"),
        ("causal", "causal"),
        ("mask", "masks"),
        ("self-attention", "Self-attention"),
        ("attention", "attention"),
    ]
    assert re.sub(r"</?span[^>]*>", "", made) == text.replace("&", "&amp;")


def test_a_token_is_no_term_and_no_text_of_ours():
    made = glossary.explained(Markup("<em>key</em> is a key: <em>&lt;b&gt; head</em>."))
    assert made == f"<em>key</em> is a {glossary.term('key')}: <em>&lt;b&gt; head</em>."
    assert glossary.explained("<em>key</em> & <b>") == (
        f"&lt;em&gt;{glossary.term('key')}&lt;/em&gt; &amp; &lt;b&gt;"
    )


@pytest.mark.parametrize(("key", "term"), TERMS)
def test_an_explanation_is_short_and_a_sentence(key, term):
    assert term.text.endswith(".")
    assert term.text[0].isupper() or key == "d_k"
    assert len(term.text.split()) <= 45
    assert key == key.casefold()


def test_every_term_has_one_key_and_one_explanation():
    keys = [term["key"] for term in glossary.wire_terms()]
    texts = {term["text"] for term in glossary.wire_terms()}
    assert len(set(keys)) == len(keys) == len(texts)
