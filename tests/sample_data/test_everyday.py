"""The everyday grammar: its French, its lexicon, and that it reads its own sentences."""

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
    english_kinds,
    french_classes,
    rare_sentences,
    read,
    said,
    sentences,
    unknown_words,
)
from sample_data.everyday.conjugation import conjugate
from sample_data.everyday.english_forms import compared, ing_form, past, plural, third_person
from sample_data.everyday.language import grammar
from sample_data.everyday.tables import read_table

FOLDER = Path(__file__).parent
VOWELS = tuple("aeiouàâéèêëîïôùûœæh")
ELIDED = {"le", "la", "je", "ne", "me", "te", "se", "que", "de"}
SLOT = re.compile(r"<([dntx])(\d)s?>")


def by_hand():
    lines = (FOLDER / "everyday_by_hand.tsv").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t")[:2] for line in lines if line and not line.startswith("#")]
    assert len({english for english, _ in pairs}) == len(pairs) >= 250
    return pairs


@pytest.fixture(scope="module")
def drawn():
    """Return 1,500 different sentences."""
    found = {}
    for pair in sentences(random.Random("test")):
        found.setdefault(pair.source, pair)
        if len(found) == 1500:
            return list(found.values())
    raise AssertionError


@pytest.mark.slow
def test_a_rare_sentence_has_a_word_that_came_less_than_sixty_times(drawn):
    def words(pair):
        english = (("english", word) for word in pair.source.split())
        return [*english, *(("french", word) for word in pair.target.split())]

    def share_of_relatives(pairs):
        return [construction(p.source) for p in pairs].count("relative clauses") / len(pairs)

    def share_of_futures(pairs):
        return sum("will" in pair.source.split() for pair in pairs) / len(pairs)

    known = drawn * 12
    counts = Counter(word for pair in known for word in words(pair))
    rare = list(islice(rare_sentences(random.Random("rare"), known), 100))
    for pair in rare:
        assert min(counts[word] for word in words(pair)) < 60
        assert read(pair.source) == pair
        counts.update(words(pair))
    assert share_of_futures(rare) > 2 * share_of_futures(drawn)  # whose forms are rare
    assert share_of_relatives(rare) > share_of_relatives(drawn[:500])


@pytest.mark.parametrize(("english", "french"), by_hand())
def test_french_is_as_a_teacher_wrote_it(english, french):
    pair = read(english)
    assert pair is not None, "there is no reading, or more than one"
    assert pair.target == french


@pytest.mark.slow
def test_what_people_say_is_read_and_none_of_it_twice(drawn):
    found = Counter(pair.source for pair in said())
    assert len(found) >= 400
    assert set(found.values()) == {1}
    assert all(2 <= len(source.split()) <= 13 for source in found)
    assert {construction(source) for source in found} == set(constructions())
    shared = sum(pair.source in found for pair in drawn) / len(drawn)
    assert 0.01 < shared < 0.2


@pytest.mark.parametrize(
    ("source", "links"),
    [
        # each French word with its English words
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
        "a apple",  # "an" is required
        "an dog",
        "<x1> <x2> <x1s> is",
        "is " * 41,
        " ".join(["and the cat"] * 13),
        "the " * 5000,
    ],
)
def test_what_is_no_sentence_has_no_translation(source):
    assert read(source.strip()) is None


@pytest.mark.slow
def test_what_is_drawn_is_read_back(drawn):
    assert [pair for pair in drawn[:250] if read(pair.source) != pair] == []


@pytest.mark.slow
def test_every_french_word_has_an_english_one(drawn):
    for pair in drawn:
        aligned = {j for _, j in pair.alignment}
        assert aligned == set(range(len(pair.target.split()))), pair
        assert all(i < len(pair.source.split()) for i, _ in pair.alignment)


@pytest.mark.slow
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


@pytest.mark.slow
def test_sentences_are_as_people_type(drawn):
    lengths = [len(pair.source.split()) for pair in drawn]
    assert sum(length <= 5 for length in lengths) / len(lengths) >= 0.3
    assert max(lengths) <= 16
    slots = [pair for pair in drawn if SLOT.search(pair.source)]
    assert 0.05 < len(slots) / len(drawn) < 0.2


@pytest.mark.slow
def test_unknown_words_are_carried_over_once_and_in_order(drawn):
    for pair in drawn:
        slots = [word for word in pair.source.split() if SLOT.fullmatch(word)]
        assert sorted(slots) == sorted(w for w in pair.target.split() if SLOT.fullmatch(w)), pair
        numbers = defaultdict(list)
        for word in slots:
            numbers[SLOT.fullmatch(word)[1]].append(int(SLOT.fullmatch(word)[2]))
        assert all(given == list(range(1, len(given) + 1)) for given in numbers.values()), pair


@pytest.mark.slow
def test_every_construction_is_drawn_and_named_as_a_teacher_would(drawn):
    assert construction("they used to live in berlin .") == "past"
    assert construction("the key that she lost is here .") == "relative clauses"
    found = Counter(construction(pair.source) for pair in drawn[:1000])
    assert found.keys() == set(constructions())
    assert min(found.values()) >= 4
    assert found["it, which the meaning resolves"] > 30


def test_the_lexicon_is_rich_and_no_word_of_it_is_translated_in_two_ways():
    seen = defaultdict(set)
    for row in read_table("nouns"):
        seen[row["english"], row["plural"]].add(row["french"])
    for row in read_table("verbs"):
        for kind in row["object"].split() or [""]:
            seen[row["english"], kind, row["subject"]].add(row["french"])
    assert {key: found for key, found in seen.items() if len(found) > 1} == {}
    for table in ("nouns", "adjectives", "verbs", "catenatives"):
        assert {row["often"] for row in read_table(table)} <= set("12345")
    english = {w for entries in grammar().entries.values() for e in entries for w in e.english}
    assert len(english) >= 2500
    assert len(read_table("nouns")) >= 700
    assert len({row["english"] for row in read_table("verbs")}) >= 200
    assert len(read_table("adjectives")) >= 180


FRENCH_VERBS = """
parler: parle parles parle parlons parlent, parlé, parlera, parlait
manger: mange manges mange mangeons mangent, mangé, mangera, mangeait
commencer: commence commences commence commençons commencent, commencé, commencera, commençait
finir: finis finis finit finissons finissent, fini, finira, finissait
vendre: vends vends vend vendons vendent, vendu, vendra, vendait
être: suis es est sommes sont, été, sera, était
avoir: ai as a avons ont, eu, aura, avait
aller: vais vas va allons vont, allé, ira, allait
faire: fais fais fait faisons font, fait, fera, faisait
prendre: prends prends prend prenons prennent, pris, prendra, prenait
venir: viens viens vient venons viennent, venu, viendra, venait
voir: vois vois voit voyons voient, vu, verra, voyait
acheter: achète achètes achète achetons achètent, acheté, achètera, achetait
appeler: appelle appelles appelle appelons appellent, appelé, appellera, appelait
préférer: préfère préfères préfère préférons préfèrent, préféré, préférera, préférait
"""
"""Present, participle, future and imperfect, from a grammar of French."""


@pytest.mark.parametrize("row", FRENCH_VERBS.strip().splitlines())
def test_french_verbs(row):
    infinitive, forms = row.split(": ")
    verb = conjugate(infinitive)
    found = [" ".join(verb.present), verb.participle, verb.future("il"), verb.imperfect("il")]
    assert found == forms.split(", ")
    assert verb.imperfect("nous").endswith("ions")
    assert not re.search("çions|geions", verb.imperfect("nous"))
    with pytest.raises(ValueError, match="must end in -er, -ir or -re, got 'chat'"):
        conjugate("chat")


def test_english_forms():
    for form, words in {
        plural: "box boxes city cities day days",
        third_person: "go goes carry carries play plays have has",
        past: "use used carry carried play played",
        ing_form: "make making die dying see seeing play playing",
    }.items():
        pairs = words.split()
        assert [form(word) for word in pairs[::2]] == pairs[1::2]
    assert (plural("bus stop"), third_person("wake up")) == ("bus stops", "wakes up")
    compare = {"big": "bigger biggest", "nice": "nicer nicest", "happy": "happier happiest"}
    assert {word: " ".join(compared(word)) for word in compare} == compare
    assert compared("beautiful") is None


def test_classes_are_of_the_most_frequent_use():
    for classes, words in (
        (english_classes(), "dog noun red adjective the determiner she pronoun not negation"),
        (french_classes(), "chien noun rouges adjective mangeait verb et conjunction"),
    ):
        pairs = words.split()
        assert [classes[word] for word in pairs[::2]] == pairs[1::2]
    assert {"chat", "mangera", "belle", "toujours"} <= content_words()
    assert not {"le", "la", "ne", "pas", "et", "."} & content_words()


def test_stand_ins_are_words_of_the_grammar():
    words = {w for entries in grammar().entries.values() for e in entries for w in e.english}
    found = unknown_words()
    for kind in ("nouns", "plurals", "names", "numbers", "times"):
        assert set(found[kind]) <= words
    assert {"the", "my", "big", "two"} <= found["noun_after"]
    assert {"dog", "dogs"} <= found["not_before"]
    assert {"she", "will"} <= found["verb_after"]
    assert "dog" not in found["noun_after"]


@pytest.mark.slow
def test_only_what_is_wanted_is_read_back_and_all_of_that_comes():
    def wanted(source: str) -> bool:
        return len(source) % 2 == 0

    first = islice(sentences(random.Random(0)), 60)
    expected = [pair for pair in first if wanted(pair.source)]
    assert list(islice(sentences(random.Random(0), wanted), len(expected))) == expected


def test_words_of_a_kind_can_stand_in_each_others_place():
    kinds = english_kinds()
    assert english_classes().keys() == kinds.keys()
    for alike in (
        "street bridge",
        "sister father",
        "dogs cats",
        "sleeps works",
        "buys sees",
        "my his",
    ):
        assert len({kinds[word] for word in alike.split()}) == 1, alike
    for apart in (
        "street school",
        "sister dog",
        "dog dogs",
        "sleeps slept",
        "sleeps buys",
        "my two",
    ):
        assert len({kinds[word] for word in apart.split()}) == 2, apart
