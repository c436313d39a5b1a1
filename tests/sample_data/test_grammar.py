"""The grammar engine, tested on a small grammar of its own."""

import random
import re
from collections import Counter

import pytest

from sample_data.grammar.drawing import Drawing
from sample_data.grammar.features import Slot
from sample_data.grammar.grammar import Grammar
from sample_data.grammar.lexicon import Entry, French
from sample_data.grammar.notation import Rule, read_rules
from sample_data.grammar.reading import read
from sample_data.grammar.trees import leaves

RULES = """
# a cat sees the dogs
let Order = Det Noun
5 Sentence -> Noun1:Phrase[num kind=$who] *Verb[num who whom] Noun2:Phrase[kind=$whom]
    = Noun1 Verb Noun2
1 Sentence -> Phrase[num] Sleeps[num] Not?50[neg!] Well[neg] = Phrase Not.ne Sleeps Not.pas Well
Phrase[num kind] -> Det[num gen] Adjective?25[gen num] *Noun[num gen kind] = $Order Adjective
1 Phrase[num=many] -> !Guess[gen] lots of Noun[num=many gen] = 'beaucoup'@lots 'de'@of Noun
"""


def entry(category, english, french, weight=1.0, **features):
    values = {name: frozenset(text.split("|")) for name, text in features.items()}

    def say(of):
        key = f"{of.get('num') or 'one'} {of.get('gen') or 'm'}"
        found = french.get(key, french.get("")) if isinstance(french, dict) else french
        return (
            {"": tuple(French(word) for word in found.split())} if isinstance(found, str) else found
        )

    return Entry(category, tuple(english.split()), values, say, weight)


LE = {"one m": "le", "one f": "la", "many m": "les", "many f": "les"}
BLACK = {"one m": "noir", "one f": "noire", "many m": "noirs", "many f": "noires"}
ENTRIES = [
    entry("Det", "the", LE),
    entry("Det", "a", {"one m": "un", "one f": "une"}, num="one"),
    entry("Noun", "cat", "chat", num="one", gen="m", kind="animal"),
    entry("Noun", "cats", "chats", num="many", gen="m", kind="animal"),
    entry("Noun", "cow", "vache", num="one", gen="f", kind="animal"),
    entry("Noun", "cows", "vaches", num="many", gen="f", kind="animal"),
    entry("Noun", "apple", "pomme", num="one", gen="f", kind="food"),
    entry("Adjective", "black", BLACK),
    entry("Verb", "eats", "mange", num="one", who="animal", whom="food"),
    entry("Verb", "eat", "mangent", num="many", who="animal", whom="food"),
    entry("Sleeps", "sleeps", {"one m": "dort"}, num="one"),
    entry("Sleeps", "sleep", "dorment", num="many"),
    entry("Not", "not", {"": {"ne": (French("ne"),), "pas": (French("pas"),)}}, neg="yes"),
    entry("Well", "well", "bien", neg="yes|no"),
    entry("Well", "badly", "mal", neg="no"),
    entry("Guess", "", "", gen="m"),
]


@pytest.fixture
def grammar():
    return Grammar(RULES, ENTRIES, soft=("kind", "who", "whom"))


def said(tree):
    return " ".join(word.word.text for word in tree.french(""))


def spelled(tree):
    return " ".join(word.text for word in tree.english)


def translations(grammar, text):
    return [(said(r.tree), r.clashes) for r in read(grammar, "Sentence", text.split())]


@pytest.mark.parametrize(
    ("english", "french"),
    [
        ("the black cow eats the apple", "la vache noire mange la pomme"),
        ("the black cats eat a black apple", "les chats noirs mangent une pomme noire"),
        ("lots of cows eat the apple", "beaucoup de vaches mangent la pomme"),
        ("the cows sleep not well", "les vaches ne dorment pas bien"),
    ],
)
def test_reads_and_agrees(grammar, english, french):
    assert translations(grammar, english) == [(french, 0)]


@pytest.mark.parametrize(
    "english",
    [
        "the cat eat the apple",  # the verb is plural
        "the cows sleep not badly",  # "not" excludes "badly"
        "the cat sleeps",
        "the cat sleeps well well",
        "the unicorn sleeps well",
        "",
    ],
)
def test_reads_nothing_else(grammar, english):
    assert translations(grammar, english) == []


def test_what_does_not_go_together_is_read_and_counted(grammar):
    assert translations(grammar, "the apple eats the cat") == [("la pomme mange le chat", 2)]


def test_drawn_sentences_are_read_back_and_go_together(grammar):
    drawing, rng = Drawing(grammar), random.Random(0)
    drawn = [drawing.draw("Sentence", rng) for _ in range(300)]
    for tree in drawn:
        (reading,) = read(grammar, "Sentence", spelled(tree).split())
        assert said(reading.tree) == said(tree)
        assert reading.clashes == 0
    texts = {spelled(tree) for tree in drawn}
    assert not [text for text in texts if re.search("apple eats?|eats? (the|a) (black )?c", text)]
    assert len(texts) > 40


def test_weights_and_chances_are_held(grammar):
    drawing, rng = Drawing(grammar), random.Random(1)
    counts = Counter()
    for _ in range(1000):
        tree = drawing.draw("Sentence", rng)
        counts["eating"] += "eat" in spelled(tree)
        if "sleep" in spelled(tree):
            counts["sleeping"] += 1
            counts["not"] += "not" in spelled(tree)
    # 5 to 1 before dead ends: plural verbs find no determiner "a"
    assert 0.7 < counts["eating"] / 1000 < 0.9
    assert 0.4 < counts["not"] / counts["sleeping"] < 0.6

    def weigh(drawn):
        return 100.0 if isinstance(drawn, Rule) and "Sleeps" in drawn.text else 1.0

    weighed = Drawing(grammar, weigh=weigh)
    drawn = [spelled(weighed.draw("Sentence", rng)) for _ in range(300)]
    assert sum("sleep" in text for text in drawn) > 270


def test_each_french_word_knows_its_english_words(grammar):
    (reading,) = read(grammar, "Sentence", ["lots", "of", "cats", "sleep", "not", "well"])
    links = [(word.word.text, [e.text for e in word.of]) for word in reading.tree.french("")]
    expected = "beaucoup=lots de=of chats=cats ne=not dorment=sleep pas=not bien=well"
    assert links == [(fr, [en]) for fr, en in (link.split("=") for link in expected.split())]


def test_a_guess_settles_features_and_is_no_part(grammar):
    drawing, rng = Drawing(grammar), random.Random(2)
    trees = [drawing.draw("Phrase", rng) for _ in range(200)]
    lots = [tree for tree in trees if spelled(tree).startswith("lots")]
    assert {spelled(tree) for tree in lots} == {"lots of cats"}  # the guess is masculine
    assert not [leaf for tree in lots for leaf in leaves(tree) if leaf.entry.category == "Guess"]
    assert translations(grammar, "lots of cows sleep well")  # reading does not guess


def test_what_is_preferred_comes_first():
    entries = [entry("One", "x", "un"), entry("Two", "x", "deux"), entry("Both", "x x", "paire")]
    rules = "1 S -> One = One\n1! S -> Two = Two\n1~ S -> Both = Both\n1 S -> A:One B:One = A B"
    grammar = Grammar(rules, entries)
    assert [said(r.tree) for r in read(grammar, "S", ["x"])] == ["deux", "un"]
    assert [said(r.tree) for r in read(grammar, "S", ["x", "x"])] == ["un un", "paire"]
    high = (("W", "high", "haut"), ("W", "school", "école"), ("V", "high school", "lycée"))
    longest = Grammar("1 S -> A:W B:W = B A\n1 S -> V = V", [entry(*each) for each in high])
    found = [said(r.tree) for r in read(longest, "S", ["high", "school"])]
    assert found == ["lycée", "école haut"]


def test_a_text_with_too_many_readings_is_given_up():
    entries = [entry("A", "x", "un"), entry("A", "x", "deux")]
    rules = "1 S -> A = A\n1 S -> A S = A S\n1 S -> One:A Two:A S = One Two S"
    grammar = Grammar(rules, entries)
    assert len(read(grammar, "S", ["x"] * 3)) > 2
    assert read(grammar, "S", ["x"] * 40) == []
    assert read(grammar, "S", ["x"] * 41) == []


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("S -> A", "a rule must be 'Phrase -> parts = French'"),
        ("S -> A = B", "no part is named B"),
        ("S -> Missing = Missing", "there is no Missing"),
        ("S -> T = T\nT -> S a = S", "begins with itself: S > T > S"),
    ],
)
def test_what_is_ill_written_is_named(rules, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Grammar(rules, [entry("A", "a", "b")])


def test_parts_that_may_be_absent_make_a_rule_each_way():
    rules = read_rules("8 S -> A?25 B?50 C = A B C")
    weights = {tuple(part.name for part in rule.parts): rule.weight for rule in rules}
    expected = {"ABC": 1.0, "AC": 1.0, "BC": 3.0, "C": 3.0}
    assert weights == {tuple(names): weight for names, weight in expected.items()}


def test_slots_that_are_equal_are_one():
    one, two, three = Slot(), Slot(frozenset("ab")), Slot(frozenset("bc"))
    assert one.equal(two)
    assert two.equal(three)
    assert one.values == two.values == three.values == frozenset("b")
    assert one.value == "b"
    assert not one.narrow(frozenset("c"))
    assert not one.equal(Slot(frozenset("c")))
    assert three.value == "b"  # a failure changes nothing
