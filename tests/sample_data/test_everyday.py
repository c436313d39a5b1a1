"""The everyday grammar: its French by hand, its lexicon, and that it reads what it writes."""

import random
import re
from collections import Counter, defaultdict
from itertools import islice, pairwise
from pathlib import Path

import pytest

from sample_data.everyday import (
    construction,
    constructions,
    content_words,
    english_classes,
    french_classes,
    rare_sentences,
    read,
    sentences,
    unknown_words,
)
from sample_data.everyday.conjugation import PERSONS, conjugate
from sample_data.everyday.english_forms import compared, ing_form, past, plural, third_person
from sample_data.everyday.language import grammar
from sample_data.everyday.tables import read_table
from sample_data.gold import find_gold

FOLDER = Path(__file__).parent
VOWELS = tuple("aeiouàâéèêëîïôùûœæh")
ELIDED = {"le", "la", "je", "ne", "me", "te", "se", "que", "de"}
SLOT = re.compile(r"<([dntx])(\d)s?>")


def by_hand():
    lines = (FOLDER / "everyday_by_hand.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[:2] for line in lines if line and not line.startswith("#")]


@pytest.fixture(scope="module")
def drawn():
    """Give 1,500 different sentences."""
    found = {}
    for pair in sentences(random.Random("test")):
        found.setdefault(pair.source, pair)
        if len(found) == 1500:
            return list(found.values())
    raise AssertionError


def test_a_rare_sentence_has_a_word_that_came_less_than_sixty_times(drawn):
    def words(pair):
        english = (("english", word) for word in pair.source.split())
        return [*english, *(("french", word) for word in pair.target.split())]

    known = drawn * 12
    counts = Counter(word for pair in known for word in words(pair))
    for pair in islice(rare_sentences(random.Random("rare"), known), 300):
        assert min(counts[word] for word in words(pair)) < 60
        assert read(pair.source) == pair
        counts.update(words(pair))


def test_rare_sentences_have_the_tenses_whose_forms_are_rare(drawn):
    rare = islice(rare_sentences(random.Random("rare"), drawn * 12), 300)
    futures = sum("will" in pair.source.split() for pair in rare)
    assert futures / 300 > 2 * sum("will" in p.source.split() for p in drawn) / len(drawn)


def test_rare_sentences_have_the_relative_clauses_before_which_participles_agree(drawn):
    def share(pairs):
        kinds = [construction(pair.source) for pair in pairs]
        return kinds.count("relative clauses") / len(kinds)

    rare = list(islice(rare_sentences(random.Random("rare"), drawn * 12), 300))
    assert share(rare) > 2 * share(drawn[:500])


def test_there_are_enough_pairs_by_hand():
    assert len(by_hand()) >= 250
    assert len({english for english, _ in by_hand()}) == len(by_hand())


@pytest.mark.parametrize(("english", "french"), by_hand())
def test_french_is_as_a_teacher_wrote_it(english, french):
    pair = read(english)
    assert pair is not None, "there is no reading, or more than one"
    assert pair.target == french


@pytest.mark.parametrize(
    ("source", "links"),
    [
        # every French word, with the English words it is from
        (
            "my sister 's car is red .",
            "la='s voiture=car de='s ma=my sœur=sister est=is rouge=red .=.",
        ),
        ("he did not eat .", "il=he n'=not a=did pas=not mangé=eat .=."),
        ("i will see you", "je=i te=you verrai=will+see"),
        ("she gets up", "elle=she se=gets+up lève=gets+up"),
        ("does he like tea ?", "est-ce=does qu'=does il=he aime=like le=tea thé=tea ?=?"),
        ("look at him !", "regarde=look+at -le=him !=!"),
        ("there is a dog .", "il=there y=there a=is un=a chien=dog .=."),
        ("he goes to the hotel .", "il=he va=goes à=to l'=the hôtel=hotel .=."),
        ("he goes to the museum .", "il=he va=goes au=to+the musée=museum .=."),
        ("the <x1> is mine .", "le=the <x1>=<x1> est=is à=mine moi=mine .=."),
    ],
)
def test_alignment_is_word_by_word(source, links):
    pair = read(source)
    assert pair
    english, french = source.split(), pair.target.split()
    expected = [
        link.rpartition("=") if link != "===" else ("=", "=", "=") for link in links.split()
    ]
    found = [
        (word, "=", "+".join(english[i] for i, j in sorted(pair.alignment) if j == place))
        for place, word in enumerate(french)
    ]
    assert found == [tuple(link) for link in expected]


@pytest.mark.parametrize(
    "source",
    [
        "",
        "the cat sleep .",
        "cat the sleeps",
        "he are tired .",
        "she have a dog .",
        "i am go .",
        "the gobble sleeps .",
        "a apple",  # "an" is asked for
        "an dog",
        "<x1> <x2> <x1s> is",
        "the cat " * 30,
        "is " * 41,
    ],
)
def test_what_is_no_sentence_has_no_translation(source):
    assert read(source.strip()) is None


def test_a_long_row_of_words_is_given_up():
    assert read(" ".join(["and the cat"] * 13)) is None
    assert read("the " * 5000) is None


def test_gold_is_found_for_what_is_typed_as_the_tokenizer_writes_it():
    pair = find_gold("everyday", "the <x1> is not broken !")
    assert pair
    assert pair.target == "le <x1> n' est pas cassé !"


def test_what_is_drawn_is_read_back(drawn):
    assert [pair for pair in drawn[:600] if read(pair.source) != pair] == []


def test_every_french_word_has_an_english_one(drawn):
    for pair in drawn:
        aligned = {j for _, j in pair.alignment}
        assert aligned == set(range(len(pair.target.split()))), pair
        assert all(i < len(pair.source.split()) for i, _ in pair.alignment)


def test_french_is_elided(drawn):
    aspirated = _aspirated()
    for pair in drawn:
        words = pair.target.split()
        for word, after in pairwise(words):
            open_ = after.startswith(VOWELS) and after not in aspirated
            assert not (word in ELIDED and open_), pair
            if word.endswith("'") and word != "aujourd'hui":
                assert after.startswith((*VOWELS, "y")), pair


def _aspirated():
    text = (FOLDER.parents[1] / "sample_data/everyday/lexicon/aspirated.txt").read_text("utf-8")
    return {line for line in text.split() if not line.startswith("#")}


def test_sentences_are_as_people_type(drawn):
    lengths = [len(pair.source.split()) for pair in drawn]
    assert sum(length <= 5 for length in lengths) / len(lengths) >= 0.3
    assert max(lengths) <= 16
    slots = [pair for pair in drawn if SLOT.search(pair.source)]
    assert 0.05 < len(slots) / len(drawn) < 0.2


def test_unknown_words_are_carried_over_once_and_in_order(drawn):
    for pair in drawn:
        slots = [word for word in pair.source.split() if SLOT.fullmatch(word)]
        assert sorted(slots) == sorted(w for w in pair.target.split() if SLOT.fullmatch(w)), pair
        numbers = defaultdict(list)
        for word in slots:
            numbers[SLOT.fullmatch(word)[1]].append(int(SLOT.fullmatch(word)[2]))
        assert all(given == list(range(1, len(given) + 1)) for given in numbers.values()), pair


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("my back hurts .", "present"),
        ("they used to live in berlin .", "past"),
        ("he is going to buy a boat .", "future"),
        ("my small black dog .", "noun phrases"),
        ("the key that she lost is here .", "relative clauses"),
    ],
)
def test_a_sentence_is_of_the_construction_that_a_teacher_would_name(source: str, name: str):
    assert construction(source) == name


def test_every_construction_is_drawn_and_named(drawn):
    found = Counter(construction(pair.source) for pair in drawn[:1000])
    assert found.keys() == set(constructions())
    assert min(found.values()) >= 4
    assert found["it, which the meaning resolves"] > 30


def test_it_is_what_the_adjective_says():
    tired = read("the dog did not cross the street because it was tired .")
    wide = read("the dog did not cross the street because it was wide .")
    assert tired
    assert wide
    assert "parce qu' il était fatigué" in tired.target
    assert "parce qu' elle était large" in wide.target


def test_the_lexicon_is_rich():
    english = {w for entries in grammar().entries.values() for e in entries for w in e.english}
    assert len(english) >= 2500
    assert len(read_table("nouns")) >= 700
    assert len({row["english"] for row in read_table("verbs")}) >= 200
    assert len(read_table("adjectives")) >= 180


def test_no_english_noun_has_two_translations():
    seen = defaultdict(set)
    for row in read_table("nouns"):
        seen[row["english"], row["plural"]].add(row["french"])
    assert {key: found for key, found in seen.items() if len(found) > 1} == {}


def test_no_frame_of_a_verb_has_two_translations():
    seen = defaultdict(set)
    for row in read_table("verbs"):
        for kind in row["object"].split() or [""]:
            seen[row["english"], kind, row["subject"]].add(row["french"])
    assert {key: found for key, found in seen.items() if len(found) > 1} == {}


@pytest.mark.parametrize("table", ["nouns", "adjectives", "verbs", "catenatives"])
def test_words_are_said_often_or_rarely(table):
    assert {row["often"] for row in read_table(table)} <= set("12345")


@pytest.mark.parametrize(
    ("infinitive", "present", "participle", "future", "imperfect"),
    [
        # from a grammar of French
        ("parler", "parle parles parle parlons parlent", "parlé", "parlera", "parlait"),
        ("manger", "mange manges mange mangeons mangent", "mangé", "mangera", "mangeait"),
        (
            "commencer",
            "commence commences commence commençons commencent",
            "commencé",
            "commencera",
            "commençait",
        ),
        ("finir", "finis finis finit finissons finissent", "fini", "finira", "finissait"),
        ("vendre", "vends vends vend vendons vendent", "vendu", "vendra", "vendait"),
        ("être", "suis es est sommes sont", "été", "sera", "était"),
        ("avoir", "ai as a avons ont", "eu", "aura", "avait"),
        ("aller", "vais vas va allons vont", "allé", "ira", "allait"),
        ("faire", "fais fais fait faisons font", "fait", "fera", "faisait"),
        ("prendre", "prends prends prend prenons prennent", "pris", "prendra", "prenait"),
        ("venir", "viens viens vient venons viennent", "venu", "viendra", "venait"),
        ("voir", "vois vois voit voyons voient", "vu", "verra", "voyait"),
        ("acheter", "achète achètes achète achetons achètent", "acheté", "achètera", "achetait"),
        (
            "appeler",
            "appelle appelles appelle appelons appellent",
            "appelé",
            "appellera",
            "appelait",
        ),
        (
            "préférer",
            "préfère préfères préfère préférons préfèrent",
            "préféré",
            "préférera",
            "préférait",
        ),
    ],
)
def test_french_verbs(infinitive, present, participle, future, imperfect):
    verb = conjugate(infinitive)
    assert " ".join(verb.present) == present
    assert (verb.participle, verb.future("il"), verb.imperfect("il")) == (
        participle,
        future,
        imperfect,
    )
    assert verb.imperfect("nous").endswith("ions")
    assert "çions" not in verb.imperfect("nous")
    assert "geions" not in verb.imperfect("nous")
    assert len(PERSONS) == len(verb.present)


def test_what_is_no_infinitive_is_refused():
    with pytest.raises(ValueError, match="must end in -er, -ir or -re, got 'chat'"):
        conjugate("chat")


def test_english_forms():
    assert [plural(w) for w in ("box", "city", "day", "bus stop")] == [
        "boxes",
        "cities",
        "days",
        "bus stops",
    ]
    assert [third_person(w) for w in ("go", "carry", "play", "wake up", "have")] == [
        "goes",
        "carries",
        "plays",
        "wakes up",
        "has",
    ]
    assert [past(w) for w in ("use", "carry", "play")] == ["used", "carried", "played"]
    assert [ing_form(w) for w in ("make", "die", "see", "play")] == [
        "making",
        "dying",
        "seeing",
        "playing",
    ]
    assert compared("big") == ("bigger", "biggest")
    assert compared("nice") == ("nicer", "nicest")
    assert compared("happy") == ("happier", "happiest")
    assert compared("beautiful") is None


def test_classes_are_of_the_most_frequent_use():
    english, french = english_classes(), french_classes()
    assert [english[w] for w in ("dog", "red", "the", "she", "not")] == [
        "noun",
        "adjective",
        "determiner",
        "pronoun",
        "negation",
    ]
    assert [french[w] for w in ("chien", "rouges", "mangeait", "et")] == [
        "noun",
        "adjective",
        "verb",
        "conjunction",
    ]
    assert {"chat", "mangera", "belle", "toujours"} <= content_words()
    assert not {"le", "la", "ne", "pas", "et", "."} & content_words()


def test_stand_ins_are_words_of_the_grammar():
    words = {w for entries in grammar().entries.values() for e in entries for w in e.english}
    found = unknown_words()
    for tokens in (found.nouns, found.plurals, found.names, found.numbers, found.times):
        assert set(tokens) <= words
    assert {"the", "my", "big", "two"} <= found.noun_after
    assert {"dog", "dogs"} <= found.not_before
    assert {"she", "will"} <= found.verb_after
    assert "dog" not in found.noun_after


def test_a_longer_row_of_draws_begins_as_a_shorter_one():
    first = list(islice(sentences(random.Random(5)), 20))
    again = list(islice(sentences(random.Random(5)), 30))
    assert again[:20] == first


def test_only_what_is_wanted_is_read_back_and_all_of_that_comes():
    def wanted(source: str) -> bool:
        return len(source) % 2 == 0

    first = islice(sentences(random.Random(0)), 60)
    expected = [pair for pair in first if wanted(pair.source)]
    assert list(islice(sentences(random.Random(0), wanted), len(expected))) == expected
