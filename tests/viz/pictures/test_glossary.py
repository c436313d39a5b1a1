import html
import re

import pytest
from markupsafe import Markup

from texts import LANGUAGES, say_of, speaking
from viz.pictures import glossary

KEYS = [key for keys in glossary.TERMS.values() for key in keys]


def explanation(key, spoken):
    with speaking(spoken):
        return next(term["text"] for term in glossary.wire_terms() if term["key"] == key)


def test_a_term_is_a_button_that_names_its_explanation():
    assert glossary.term("softmax") == (
        '<span class="loupe-term" role="button" tabindex="0" aria-expanded="false" '
        'data-term="softmax">softmax</span>'
    )
    assert ">the &lt;b&gt; keys</span>" in glossary.term("key", "the <b> keys")


def test_the_first_mention_of_each_term_in_a_text_can_be_asked():
    text = "Keys & causal masks: a mask of monkeys hides a key. Self-attention, then attention."
    made = glossary.explained(text)
    asked = re.findall(r'data-term="([^"]+)">([^<]+)<', made)
    assert asked == [
        ("key", "Keys"),
        ("causal", "causal masks"),
        ("mask", "mask"),
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


def test_a_text_in_french_is_asked_for_its_own_words():
    text = "L’encodeur n’a que deux têtes d’attention : chaque tête lit les clés, pas le causal."
    with speaking("fr"):
        made = glossary.explained(text)
        assert glossary.term("norm").endswith(">normalisation de couche</span>")
    asked = re.findall(r'data-term="([^"]+)">([^<]+)<', made)
    assert asked == [
        ("encoder", "encodeur"),
        ("head", "têtes d’attention"),
        ("key", "clés"),
        ("causal", "causal"),
    ]
    assert html.unescape(re.sub(r"</?span[^>]*>", "", made)) == text


@pytest.mark.parametrize("spoken", LANGUAGES)
@pytest.mark.parametrize("key", KEYS)
def test_an_explanation_is_short_and_a_sentence(key, spoken):
    text = explanation(key, spoken)
    assert text.endswith(".")
    assert text[0].isupper() or key == "d_k"
    assert len(text.split()) <= 50
    assert key == key.casefold()


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_every_term_has_one_key_and_one_explanation(spoken):
    with speaking(spoken):
        terms = glossary.wire_terms()
        forms = [form for key in KEYS for form in say_of("glossary.found", key).split("|")]
    keys = {term["key"] for term in terms}
    assert len(keys) == len(terms) == len({term["text"] for term in terms})
    assert len(set(forms)) == len(forms)
    assert all(form == form.casefold() and form for form in forms)
