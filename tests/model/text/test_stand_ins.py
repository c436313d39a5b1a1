import json

import pytest

from model.text.corpus import make_example
from model.text.stand_ins import LONGEST_CARRIED, CopiedWord, StandIns
from model.text.tokenizer import UNK_ID, Tokenizers

STAND_INS = StandIns(
    nouns=("<x1>", "<x2>"),
    plurals=("<x1s>", "<x2s>"),
    names=("<n1>", "<n2>"),
    numbers=("<d1>", "<d2>"),
    times=("<t1>",),
    noun_after=frozenset({"the", "a", "my", "old", "two", "'s"}),
    not_before=frozenset({"cat", "car"}),
    verb_after=frozenset({"i", "she", "can", "not"}),
)
ENGLISH = (
    "the <x1> is broken . my old <x2> ! a cat 's car , two cats ?",
    "the <x1s> and the <x2s> of <n1> and <n2> are not at <t1>",
    "i can see <d1> or <d2> . she lives in paris",
)
FRENCH = (
    "le <x1> est cassé . mon vieux <x2> ! la voiture d' un chat , deux chats ?",
    "les <x1s> et les <x2s> de <n1> et <n2> ne sont pas à <t1> donne -moi",
    "je peux voir <d1> ou <d2> . elle habite à paris",
)
STAND_IN_TOKENS = (*("<x1>", "<x2>", "<x1s>", "<x2s>", "<n1>"), *("<n2>", "<d1>", "<d2>", "<t1>"))


def train(stand_ins: StandIns | None = STAND_INS, *, shared: bool = True) -> Tokenizers:
    options = {"source_kind": "word", "target_kind": "word", "shared": shared}
    return Tokenizers.train(ENGLISH, FRENCH, stand_ins=stand_ins, **options)


@pytest.fixture(scope="module")
def both() -> Tokenizers:
    return train(shared=False)


def read(both: Tokenizers, text: str) -> str:
    """Return the tokens that the model reads."""
    ids = both.encode_source(text).ids
    return " ".join(both.source.all_tokens[i] for i in ids[:-1])


@pytest.mark.parametrize(
    ("typed", "stands"),
    [
        ("The laptop is broken.", "the <x1> is broken ."),
        ("The laptops are broken", "the <x1s> are broken"),
        ("my old laptop and the charger", "my old <x1> and the <x2>"),
        ("the laptop and the chargers", "the <x1> and the <x2s>"),
        ("the laptop and a charger and a mouse", "the <x1> and a <x2> and a <unk>"),
        ("the laptop and the LAPTOP", "the <x1> and the <x1>"),
        ("the laptop's car", "the <x1> 's car"),
        ("the cat's laptop", "the cat 's <x1>"),
        ("the shiny car", "the <unk> car"),
        ("I snowboard", "i <unk>"),
        ("Zoltan lives in Szeged.", "<n1> lives in <n2> ."),
        ("Zoltan can see Zoltan and Bela and Géza", "<n1> can see <n1> and <n2> and <unk>"),
        ("can Zoltan see", "can <n1> see"),
        ("the car googled the cat", "the car <unk> the cat"),
        ("THE LAPTOP IS BROKEN", "the <x1> is broken"),
        ("Laptops are not", "<x1s> are not"),
        ("Google the cat", "<unk> the cat"),
        ("she lives in szeged", "she lives in <n1>"),
        ("she lives in puddles", "she lives in <x1s>"),
        ("at 8:15", "at <t1>"),
        ("at 8:15 and 10:30", "at <t1> and <unk>"),
        ("see 25 and 14th and 3", "see <d1> and <d2> and <unk>"),
        ("25 laptops", "<d1> <x1s>"),
        ("-5", "<d1>"),
        ("I am, !", "i <unk> , !"),
    ],
)
def test_an_unknown_word_is_read_as_what_it_must_be(both, typed, stands):
    assert read(both, typed) == stands


def test_the_words_around_are_those_that_are_read():
    tokenizers = train(StandIns(nouns=("<x1>",), names=("<n1>",), noun_after=frozenset({"<n1>"})))
    assert read(tokenizers, "Zoltan wok") == "<n1> <x1>"
    assert read(tokenizers, "<n1> wok") == "<unk> <n1>"


def test_what_was_typed_is_shown_and_what_stands_for_it_is_read(both):
    encoding = both.encode_source("  The “lapTop” is Broken, Zoltan!")
    assert encoding.tokens == ("the", "lapTop", "is", "broken", ",", "Zoltan", "!", "</s>")
    assert encoding.ids[1] == both.source.vocabulary["<x1>"]
    assert encoding.ids[5] == both.source.vocabulary["<n1>"]
    assert encoding.copied == (CopiedWord(1, "lapTop", "noun"), CopiedWord(5, "Zoltan", "name"))
    assert encoding.unknown == ()
    assert [encoding.spans[word.index] for word in encoding.copied] == [(7, 13), (26, 32)]
    assert encoding.units[:-1] == tuple(range(7))


def test_a_noun_has_no_capital_for_standing_first(both):
    assert both.encode_source("Laptops are broken. Snakes").tokens[::4] == ("laptops", "snakes")
    assert both.encode_source("BMWs are broken").tokens[0] == "BMWs"
    assert both.encode_source("Zoltan is broken").tokens[0] == "Zoltan"


def test_what_cannot_be_seen_is_not_carried_over(both):
    encoding = both.encode_source("the lap\u00ad\u202etop\u0000")
    assert encoding.tokens[1] == "laptop"
    assert encoding.copied == (CopiedWord(1, "laptop", "noun"),)


@pytest.mark.parametrize(
    "word",
    [*STAND_IN_TOKENS, "<X1>", "“<x1>”", "</s>", "<pad>", "<unk>", "<script>", "🙂", "a" * 41],
)
def test_what_must_not_be_carried_over_stays_unknown(both, word):
    encoding = both.encode_source(f"the {word} is")
    assert encoding.ids[1] == UNK_ID
    assert encoding.tokens == ("the", "<unk>", "is", "</s>")
    assert encoding.copied == ()
    assert [unknown.text for unknown in encoding.unknown] == [word.strip("“”")]
    target = both.encode_target(f"le {word} est", source=both.encode_source("the laptop"))
    assert target.ids[2] == UNK_ID
    assert len(LONGEST_CARRIED * "a") == 40


def test_nobody_is_offered_a_stand_in(both):
    (unknown,) = both.encode_source("i x1s>").unknown
    assert unknown.nearest == ()
    without = train(None)
    assert without.encode_source("i x1s>").unknown[0].nearest[0] in STAND_IN_TOKENS
    assert without.to_dict().keys() == {"shared", "source", "target"}  # the form of old files
    assert without.encode_source("the laptop").tokens == ("the", "<unk>", "</s>")


def test_texts_of_a_task_name_the_stand_ins_themselves(both):
    for text in ENGLISH:
        encoding = both.encode_source(text, typed=False)
        assert encoding.tokens == (*text.split(), "</s>")
        assert encoding.copied == encoding.unknown == ()
    example = make_example(both, ENGLISH[0], FRENCH[0], frozenset({(1, 1)}))
    assert both.source.tokens(example.source[:-1]) == tuple(ENGLISH[0].split())
    assert both.target.tokens(example.target[1:-1]) == tuple(FRENCH[0].split())
    assert example.alignment == {(1, 2)}
    assert both.encode_source("the laptop", typed=False).ids[1] == UNK_ID


def test_the_translation_shows_the_words_that_its_source_carries_over(both):
    source = both.encode_source("The lapTop and the charger of Zoltan")
    named = both.naming(source)
    ids = both.encode_target("le <x1> et le <x2s> et <x2> de <n1> et <n2>", typed=False).ids
    assert both.target.decode(ids) == "le <x1> et le <x2s> et <x2> de <n1> et <n2>"
    assert named.target.decode(ids) == "le lapTop et le <x2s> et charger de Zoltan et <n2>"
    assert named.target.tokens(ids)[2] == named.target.token(ids[2]) == "lapTop"
    assert named.source is both.source
    assert named.target.vocabulary is both.target.vocabulary
    assert named.target.encode("le chat") == both.target.encode("le chat")
    assert vars(named.target)["_backend"] is vars(both.target)["_backend"]  # shared, as it is large
    assert both.target.tokens(ids)[2] == "<x1>"  # the shared tokenizer is unchanged
    assert both.naming(both.encode_source("the cat")) is both


def test_tokenizers_that_name_words_are_like_the_others(both):
    named = both.naming(both.encode_source("the laptop"))
    assert named.to_dict() == both.to_dict()
    assert named != both
    assert hash(named) == hash(both)
    with pytest.raises(ValueError, match="an id must be from 0"):
        named.target.token(10_000)


def test_a_given_target_has_the_stand_ins_of_its_source(both):
    source = both.encode_source("the laptop and Zoltan at 8:15")
    target = both.encode_target("Le LAPTOP, le chargeur et zoltan à 8:15", source=source)
    assert tuple(both.target.all_tokens[i] for i in target.ids) == (
        *("<s>", "le", "<x1>", ",", "le", "<unk>", "et", "<n1>", "à", "<t1>", "</s>"),
    )
    assert target.tokens[2] == "LAPTOP"
    assert [(word.index, word.kind) for word in target.copied] == [
        (2, "noun"),
        (7, "name"),
        (9, "time"),
    ]
    assert [unknown.text for unknown in target.unknown] == ["chargeur"]
    assert both.encode_target("le laptop").ids[2] == UNK_ID


def test_joined_hyphens_of_a_translation(both):
    ids = both.encode_target("Donne-moi le chat").ids
    assert both.target.tokens(ids)[1:3] == ("donne", "-moi")
    assert both.target.decode(ids) == "donne-moi le chat"
    source = both.encode_source("my -5")
    named = both.naming(source)
    stand_in = both.target.vocabulary["<d1>"]
    assert named.target.decode((ids[3], stand_in)) == "le -5"


HOSTILE = {
    "unknown words": "the w{} ",
    "one word": "the laptop ",
    "numbers": "{} ",
    "capitals": "W{} ",
    "signs": "«-'{}'-» ",
}


@pytest.mark.slow
@pytest.mark.parametrize("part", HOSTILE.values(), ids=HOSTILE)
def test_any_text_is_read(both, part):
    text = "".join(part.format(i) for i in range(2000))[:20_000]
    encoding = both.encode_source(text)
    assert len(encoding.unknown) == encoding.ids.count(UNK_ID)
    assert len(encoding.ids) == len(encoding.tokens) == len(encoding.units) == len(encoding.spans)
    carried = {encoding.ids[word.index] for word in encoding.copied}
    assert len(carried) <= len(STAND_IN_TOKENS)
    assert len(both.naming(encoding).target.shown) == len(carried)


# In JSON


@pytest.mark.parametrize("shared", [True, False])
def test_stand_ins_survive_json(shared):
    both = train(shared=shared)
    values = json.loads(json.dumps(both.to_dict()))
    again = Tokenizers.from_dict(values)
    assert again == both
    assert hash(again) == hash(both)
    assert again.stand_ins == STAND_INS
    assert again.encode_source("the laptop") == both.encode_source("the laptop")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("nouns", "<x1>", "nouns of the stand-ins must be a list, got <x1>"),
        ("nouns", [1], "nouns of the stand-ins must be strings of 1 to 100 characters, got 1"),
        ("times", [""], "times of the stand-ins must be strings of 1 to 100 characters, got ''"),
        ("noun_after", ["\ud800"], "noun_after of the stand-ins must be characters, got '.ud800'"),
        (
            "names",
            ["<n1>", "<n3>"],
            "a stand-in must be a token of both sides, which '<n3>' is not",
        ),
        ("names", ["<x1>"], "a stand-in must have one kind, got '<x1>' twice"),
        ("names", ["<n1>"] * 101, "names of the stand-ins must be at most 100 words, got 101"),
        ("not_before", ["a"] * 100_001, "not_before of the stand-ins must be at most 100,000"),
    ],
)
def test_malformed_stand_ins_are_refused(name, value, message):
    values = train(shared=False).to_dict()
    values["stand_ins"][name] = value
    with pytest.raises(ValueError, match=message):
        Tokenizers.from_dict(values)


@pytest.mark.parametrize("kinds", [("word", "bpe"), ("character", "word")])
def test_only_words_have_stand_ins(kinds):
    options = dict(zip(("source_kind", "target_kind"), kinds, strict=True))
    with pytest.raises(ValueError, match="stand-ins need tokenizers of whole words"):
        Tokenizers.train(ENGLISH, FRENCH, shared=False, stand_ins=STAND_INS, **options)
