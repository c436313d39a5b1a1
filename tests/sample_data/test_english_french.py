import random
import re
from itertools import islice, pairwise
from pathlib import Path

import pytest

from sample_data.english_french import (
    content_words,
    english_classes,
    french_classes,
    lexicon,
    sentences,
)
from sample_data.gold import find_gold

VOWELS = tuple("aeiouyàâéèêëîïôùûœh")
NOUNS = {noun.english: (noun, False) for noun in lexicon.NOUNS} | {
    noun.english_plural: (noun, True) for noun in lexicon.NOUNS if noun.english_plural
}


def by_hand():
    path = Path(__file__).parent / "english_french_by_hand.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


@pytest.fixture(scope="module")
def corpus():
    return list(islice(sentences(random.Random(7)), 30_000))


@pytest.mark.parametrize(("source", "target"), by_hand())
def test_translations_by_hand(source, target):
    pair = find_gold("english-french", source)
    assert (pair.source, pair.target) == (source, target)


@pytest.mark.parametrize(
    ("source", "links"),
    [
        # est-ce qu' il a traversé le lac ?
        ("did he cross the lake ?", "0-0 0-1 1-2 0-3 2-4 3-5 4-6 5-7"),
        # elle est tombée: without an auxiliary both words are from the verb
        ("she fell", "0-0 1-1 1-2"),
        ("some cold water", "0-0 0-1 2-2 1-3"),
    ],
)
def test_alignments_by_hand(source, links):
    expected = {tuple(map(int, link.split("-"))) for link in links.split()}
    assert find_gold("english-french", source).alignment == expected


@pytest.mark.slow
def test_no_source_has_two_targets(corpus):
    targets = {}
    for pair in corpus:
        assert targets.setdefault(pair.source, pair.target) == pair.target


@pytest.mark.slow
def test_every_word_is_aligned(corpus):
    for pair in corpus:
        n_sources, n_targets = len(pair.source.split()), len(pair.target.split())
        assert {target for _, target in pair.alignment} == set(range(n_targets)), pair
        assert {source for source, _ in pair.alignment} <= set(range(n_sources)), pair


def test_aligned_words_have_classes_that_go_together(corpus):
    for pair in corpus[:5000]:
        source, target = pair.source.split(), pair.target.split()
        for i, j in pair.alignment:
            of = french_classes[target[j]]
            if of in {"noun", "adjective", "determiner", "pronoun", "preposition", "negation"}:
                assert english_classes[source[i]] == of, pair


def test_elision_over_the_corpus(corpus):
    elided = {"l'", "n'", "j'", "qu'", "d'"}
    full = {"le", "la", "ne", "je", "que", "de", "ce", "ma", "ta", "sa", "beau", "nouveau"}
    for pair in corpus[:5000]:
        for this, after in pairwise(pair.target.split()):
            vowel = after.startswith(VOWELS)
            assert not (this in elided and not vowel), pair
            if vowel and french_classes[after] in {"noun", "pronoun", "verb", "determiner"}:
                assert this not in full, pair
            if this in {"ne", "je", "que", "de"}:
                assert not vowel, pair
        assert not re.search(r"\bde les?\b|\bà les?\b", pair.target), pair


def test_agreement_over_the_corpus(corpus):
    genders = {noun.french: noun.gender for noun in lexicon.NOUNS}
    genders |= {noun.french_plural: noun.gender for noun in lexicon.NOUNS}
    plurals = {noun.french_plural for noun in lexicon.NOUNS} - {"souris"}
    singulars = {noun.french for noun in lexicon.NOUNS} - {"souris"}
    masculine = {"le", "un", "ce", "cet", "petit", "grand", "bon", "beau", "bel", "vieil", "nouvel"}
    feminine = {"la", "une", "cette", "petite", "grande", "bonne", "belle", "vieille"}
    many = {"les", "des", "ces", "mes", "tes", "ses", "nos", "leurs", "deux", "trois"}
    seen = set()
    for pair in corpus[:5000]:
        for this, after in pairwise(pair.target.split()):
            if after in genders:
                assert not (this in masculine and genders[after] == "f"), pair
                assert not (this in feminine and genders[after] == "m"), pair
                assert not (this in many and after in singulars), pair
                assert not (this in (masculine | feminine) and after in plurals), pair
                seen.add(this)
    assert masculine | feminine <= seen


def test_not_surrounds_one_word(corpus):
    for pair in corpus[:5000]:
        target = pair.target.split()
        negations = [index for index, text in enumerate(target) if text in {"ne", "n'"}]
        assert [target[index + 2] for index in negations] == ["pas"] * target.count("pas"), pair
        assert pair.source.split().count("not") == len(negations), pair


ALIVE = {"tired", "sick", "happy", "sad", "lazy", "angry", "young"}
REASON = re.compile(r"(\w+) because it (?:was|is) (?:too |very )?(\w+)")


def resolved(pair):
    """Return both nouns' genders, which of them the adjective means, and the French pronoun."""
    found = REASON.search(pair.source)
    clause = pair.source[: found.start(2)].split()
    actor, thing = [NOUNS[text][0] for text in clause if text in NOUNS][:2]
    meant = actor if found[2] in ALIVE else thing
    french = re.search(r"parce qu' (ils?|elle)", pair.target)[1]
    return actor.gender, thing.gender, meant.gender, french


def test_it_is_what_the_adjective_can_hold_of(corpus):
    found = [resolved(pair) for pair in corpus if " it " in pair.source]
    assert all(french == {"m": "il", "f": "elle"}[gender] for *_, gender, french in found)
    apart = [row for row in found if row[0] != row[1]]
    assert 0.08 < len(apart) / len(corpus) < 0.13
    assert {(row[0], row[2]) for row in apart} == {("m", "m"), ("m", "f"), ("f", "m"), ("f", "f")}


def test_the_vocabulary_is_all_used_and_has_classes(corpus):
    english = {text for pair in corpus for text in pair.source.split()}
    french = {text for pair in corpus for text in pair.target.split()}
    assert english == set(english_classes)
    assert french == set(french_classes)
    assert {"chat", "noir", "le", "mange", "souvent"} <= content_words <= french
    assert not {"ne", "pas", "est", "que", ".", "il"} & content_words


def test_shapes_of_sentences(corpus):
    lengths = sorted(len(pair.source.split()) for pair in corpus)
    assert lengths[0] >= 2
    assert lengths[len(lengths) * 95 // 100] <= 18
    stops = sum(pair.source.endswith(" .") for pair in corpus) / len(corpus)
    questions = sum(pair.source.endswith(" ?") for pair in corpus) / len(corpus)
    assert 0.5 < stops < 0.8
    assert 0.08 < questions < 0.2
    assert not any(text in english_classes for text in ("fish", "read"))
