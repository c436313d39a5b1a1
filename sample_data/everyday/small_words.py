"""The small words of both languages: determiners, pronouns, auxiliaries, numbers, names, times."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sample_data.everyday.conjugation import PERSONS, conjugate
from sample_data.everyday.open_words import (
    PARTICLES,
    Make,
    kinds,
    noun_entries,
    plural_of,
    values,
    verb_entries,
    weight,
)
from sample_data.everyday.spoken_verb import SpokenVerb
from sample_data.everyday.tables import Row, english_words, french_words, read_table
from sample_data.grammar.lexicon import Entry, Features, French, Said

_PLURAL = ("nous", "ils")
_BE = {
    "present": ("am", "are", "is", "are", "are"),
    "imperfect": ("was", "were", "was", "were", "were"),
}
_AUXILIARIES = (
    # English by person, kind of operator, form of the verb behind it, tense of the French verb
    (("do", "do", "does", "do", "do"), "do", "base", "present"),
    (("did",) * 5, "do", "base", "past|imperfect"),
    (("will",) * 5, "other", "base", "future"),
    (("have", "have", "has", "have", "have"), "have", "participle", "past"),
    (_BE["present"], "other", "ing", "present"),
    (_BE["imperfect"], "other", "ing", "imperfect"),
)
_MODALS = (
    # English, French, its tense, whether negated, weight
    ("can", "pouvoir", "present", "yes|no|ask", 8),
    ("must", "devoir", "present", "yes|no|ask", 4),
    ("should", "devoir", "conditional", "yes|no|ask", 3),
    ("could", "pouvoir", "conditional", "no|ask", 2),
    ("could", "pouvoir", "imperfect", "yes", 2),
    ("may", "pouvoir", "present", "yes|no|ask", 1),
)
_SUBJECTS = (
    ("i", "je", "je", "m", 8),
    ("you", "tu", "tu", "m", 5),
    ("he", "il", "il", "m", 5),
    ("she", "elle", "il", "f", 5),
    ("we", "nous", "nous", "m", 5),
    ("they", "ils", "ils", "m", 4),
)
_OBJECTS = (
    # English, direct, indirect, strong, with the imperative, whose verb it goes with, gender, number
    ("me", "me me moi -moi -moi", "tu|il|ils", "m", "il", 4),
    ("you", "te te toi -toi -toi", "je|il|nous|ils", "m", "il", 4),
    ("him", "le lui lui -le -lui", "je|tu|il|nous|ils", "m", "il", 4),
    ("her", "la lui elle -la -lui", "je|tu|il|nous|ils", "f", "il", 4),
    ("it", "le lui lui -le -lui", "je|tu|il|nous|ils", "m", "il", 4),
    ("us", "nous nous nous -nous -nous", "tu|il|ils", "m", "ils", 3),
    ("them", "les leur eux -les -leur", "je|tu|il|nous|ils", "m", "ils", 4),
)
_DETERMINERS = (
    # English, number, mass nouns too, French for m, f, plural, weight
    ("this", "il", "yes|no", "ce cette ces", 4),
    ("that", "il", "yes|no", "ce cette ces", 3),
    ("these", "ils", "no", "ce cette ces", 3),
    ("those", "ils", "no", "ce cette ces", 2),
    ("my", "il|ils", "yes|no", "mon ma mes", 8),
    ("your", "il|ils", "yes|no", "ton ta tes", 5),
    ("his", "il|ils", "yes|no", "son sa ses", 4),
    ("her", "il|ils", "yes|no", "son sa ses", 4),
    ("its", "il|ils", "yes|no", "son sa ses", 1),
    ("our", "il|ils", "yes|no", "notre notre nos", 4),
    ("their", "il|ils", "yes|no", "leur leur leurs", 3),
)
_OWNERS = {
    **{"my": "je", "your": "tu", "his": "il", "her": "il", "its": "il"},
    **{"our": "nous", "their": "ils"},
}
_OWN_GENDER = {"his": "m", "her": "f", "its": "-"}
_BEFORE_VOWEL = {"ce": "cet", "ma": "mon", "ta": "ton", "sa": "son"}
_QUANTITIES = (
    ("many", "ils", "no", "beaucoup de", 3),
    ("a lot of", "il|ils", "yes|no", "beaucoup de", 3),
    ("lots of", "il|ils", "yes|no", "beaucoup de", 2),
    ("much", "il", "yes", "beaucoup de", 1),
    ("too many", "ils", "no", "trop de", 1),
    ("too much", "il", "yes", "trop de", 1),
    ("enough", "il|ils", "yes|no", "assez de", 1),
    ("a little", "il", "yes", "un peu de", 1),
    ("few", "ils", "no", "peu de", 1),
    ("more", "il|ils", "yes|no", "plus de", 2),
    ("a few", "ils", "no", "quelques", 2),
    ("several", "ils", "no", "plusieurs", 2),
)
_PAINLESS = frozenset("hair beard moustache nail blood voice brain body".split())
_IN_RULES = frozenset(
    {*"to from with without for of about like into except".split(), "because of", "thanks to"}
)
_SIDES = {"left": "yes", "right": "yes", "to the left": "yes|no", "to the right": "yes|no"}
"""Whether one turns there; where "no" stands too, one also comes there."""
_AFTER_NOT = frozenset("always often usually really very too so completely".split())
"""Adverbs that "not" stands before: "not often", never "not rarely" or "not a bit"."""
_MUCH = frozenset(
    {"a lot", "very much", "too much", "so much", "enough", "more", "less", "a little", "a bit"}
    | {"well", "very well", "badly", "better"}
)
"""How much one does: not said beside an object, but for what one is fond of."""
_OF_MOTION = frozenset("towards toward through along".split())
_FEMININE = frozenset({"échecs"})
_WITH_DETERMINER = frozenset({"music", "art", "sport", "history", "shopping", "drums"})
"""Of sports and subjects, those that one says "the" or "my" before."""
_IN_COUNTRY = {"f": "en", "m": "au", "p": "aux", "-": "à"}


_SMALL = (
    # category, English, French, further features, weight
    ("Close", ".", ".", "", 70),
    ("Close", "!", "!", "", 8),
    ("Close", "", "", "", 22),
    ("Ask", "?", "?", "", 85),
    ("Ask", "", "", "", 15),
    ("Exclaim", "!", "!", "", 40),
    ("Exclaim", ".", ".", "", 40),
    ("Exclaim", "", "", "", 20),
    ("End", ".", ".", "", 3),
    ("End", "!", "!", "", 1),
    ("Comma", ",", ",", "", 1),
    ("Pause", ",", ",", "", 6),
    ("Pause", "!", "!", "", 3),
    ("Pause", ".", ".", "", 2),
    ("Pause", "", "", "", 0.5),
    ("Yes", "yes", "oui", "", 1),
    ("No", "no", "non", "", 1),
    ("Please", "please", "s' il te plaît", "", 1),
    ("Greeting", "hello", "bonjour", "", 6),
    ("Greeting", "hi", "salut", "", 5),
    ("Greeting", "hey", "salut", "", 1),
    ("Greeting", "good morning", "bonjour", "", 2),
    ("Greeting", "good evening", "bonsoir", "", 1),
    ("Greeting", "sorry", "désolé", "", 1),
    ("Greeting", "excuse me", "excuse -moi", "", 1),
    ("Greeting", "thank you", "merci", "", 1),
    ("Greeting", "thanks", "merci", "", 1),
    ("Greeting", "yes", "oui", "", 1),
    ("Greeting", "no", "non", "", 1),
    ("Greeting", "ok", "d' accord", "", 1),
    ("Link", "and", "et", "", 5),
    ("Link", "but", "mais", "", 4),
    ("Link", "because", "parce que", "", 5),
    ("Link", "or", "ou", "", 1),
    ("Link", "so", "donc", "", 2),
    ("And", "and", "et", "", 1),
    ("Or", "or", "ou", "", 1),
    ("That", "that", "ça", "", 2),
    ("That", "this", "ça", "", 1),
    ("ThankYou", "thank you", "merci", "", 3),
    ("ThankYou", "thanks", "merci", "", 2),
    ("ThankYou", "thank you very much", "merci beaucoup", "", 1),
    ("Hurts", "hurts", "", "agr=il", 1),
    ("Hurts", "hurt", "", "agr=ils", 1),
    ("Meal", "breakfast", "le petit déjeuner", "", 1),
    ("Meal", "lunch", "le déjeuner", "", 1),
    ("Meal", "dinner", "le dîner", "", 1),
    ("Because", "because", "parce que", "", 1),
    ("Whenever", "when", "quand", "", 4),
    ("If", "if", "si", "", 1),
    ("Whenever", "while", "pendant que", "", 1),
    ("It", "it", "", "", 4),
    ("It", "this", "", "", 4),
    ("It", "that", "", "", 3),
    ("These", "these", "", "", 3),
    ("These", "those", "", "", 2),
    ("These", "they", "", "", 2),
    ("Third", "he", "", "agr=il per=il gen=m", 4),
    ("Third", "she", "", "agr=il per=il gen=f", 4),
    ("ItOf", "it", "il", "gen=m", 1),
    ("ItOf", "it", "elle", "gen=f", 1),
    ("Late", "late", "tard", "", 2),
    ("Late", "early", "tôt", "", 1),
    ("Somebody", "someone", "quelqu'un", "kind=person", 1),
    ("Somebody", "somebody", "quelqu'un", "kind=person", 1),
    ("Everyone", "everyone", "tout le monde", "", 2),
    ("Everyone", "everybody", "tout le monde", "", 1),
    ("Something", "something", "quelque chose", "", 1),
    ("AtHome", "late", "en retard", "", 3),
    ("AtHome", "on holiday", "en vacances", "", 2),
    ("AtHome", "on vacation", "en vacances", "", 1),
    ("Felt", "hungry", "faim", "", 4),
    ("Felt", "thirsty", "soif", "", 3),
    ("Felt", "afraid", "peur", "", 2),
    ("Felt", "scared", "peur", "", 1),
    ("Felt", "sleepy", "sommeil", "", 1),
    ("Felt", "cold", "froid", "", 3),
    ("Felt", "hot", "chaud", "", 2),
    ("Felt", "right", "raison", "", 2),
    ("Felt", "wrong", "tort", "", 1),
    ("Felt", "lucky", "de la chance", "", 1),
    ("Sky", "cold", "froid", "", 4),
    ("Sky", "hot", "chaud", "", 4),
    ("Sky", "warm", "bon", "", 1),
    ("Sky", "nice", "beau", "", 1),
    ("Sky", "sunny", "soleil", "", 3),
    ("Sky", "dark", "nuit", "", 1),
    ("Sky", "windy", "du vent", "", 3),
    ("Sky", "cloudy", "gris", "", 2),
    ("Sky", "foggy", "du brouillard", "", 1),
    ("Faster", "faster", "plus vite", "", 3),
    ("Faster", "better", "mieux", "", 2),
    ("Faster", "more slowly", "plus lentement", "", 1),
    ("Very", "very", "très", "graded=yes", 4),
    ("Very", "really", "vraiment", "graded=yes|some", 1),
    ("As", "as", "aussi", "", 1),
    ("AsThat", "as", "que", "", 1),
    ("Mine", "mine", "à moi", "", 2),
    ("Mine", "yours", "à toi", "", 2),
    ("Mine", "hers", "à elle", "", 1),
    ("Mine", "ours", "à nous", "", 1),
    ("Mine", "theirs", "à eux", "", 1),
    ("More", "more", "plus", "", 1),
    ("Less", "less", "moins", "", 1),
    ("Whether", "that", "", "", 1),
    ("RelativeWord", "who", "", "kind=person", 2),
    ("RelativeWord", "that", "", "", 2),
    ("RelativeWord", "which", "", "kind=thing|building|place", 1),
    ("Whom", "that", "", "", 3),
    ("Whom", "which", "", "kind=thing|building|place", 1),
    ("In", "in", "", "", 1),
    ("Of", "in", "", "", 2),
    ("Of", "of", "", "", 1),
    ("AskingAdverb", "where", "où", "", 4),
    ("AskingAdverb", "when", "quand", "time=habit|present|past|future", 4),
    ("AskingAdverb", "why", "pourquoi", "", 4),
    ("AskingAdverb", "how", "comment", "", 2),
    ("AskingAdverb", "what time", "à quelle heure", "time=habit|present|past|future", 2),
    ("AskingAdverb", "how often", "à quelle fréquence", "", 1),
    ("AskingAdverb", "how long", "combien de temps", "", 1),
    ("ClockSlot", "<t1>", "<t1>", "", 1),
    ("Year", "<d1>", "<d1>", "", 1),
    ("Year", "<d2>", "<d2>", "", 0.3),
    ("PartOfDay", "morning", "matin", "", 2),
    ("PartOfDay", "afternoon", "après-midi", "", 1),
    ("PartOfDay", "evening", "soir", "", 2),
    ("PartOfDay", "night", "soir", "", 1),
)
_NAMING = (
    # English, French, its verb, gender of the name
    ("my name", "je m'", "appelle", "m|f"),
    ("your name", "tu t'", "appelles", "m|f"),
    ("his name", "il s'", "appelle", "m"),
    ("her name", "elle s'", "appelle", "f"),
)
_POSSESSORS = (
    ("my", "je", "ai"),
    ("your", "tu", "as"),
    ("his", "il", "a"),
    ("her", "elle", "a"),
    ("our", "nous", "avons"),
    ("their", "ils", "ont"),
)
_BODY_VERBS = (
    ("wash", "", "laver"),
    ("brush", "", "brosser"),
    ("clean", "", "laver"),
    ("break", "broke broken breaking", "casser"),
    ("burn", "", "brûler"),
    ("dry", "", "sécher"),
    ("cut", "- cut cutting", "couper"),
)
_VESSELS = (
    ("glass", "glasses", "verre", "m", 4),
    ("cup", "cups", "tasse", "f", 4),
    ("bottle", "bottles", "bouteille", "f", 3),
    ("piece", "pieces", "morceau", "m", 3),
    ("slice", "slices", "tranche", "f", 2),
    ("pair", "pairs", "paire", "f", 2),
    ("box", "boxes", "boîte", "f", 2),
    ("bag", "bags", "sac", "m", 1),
    ("bowl", "bowls", "bol", "m", 2),
    ("plate", "plates", "assiette", "f", 1),
    ("kilo", "kilos", "kilo", "m", 1),
    ("litre", "litres", "litre", "m", 1),
    ("packet", "packets", "paquet", "m", 1),
)
_TRAVELLING = (
    ("train", "trains", "train", "m", 4),
    ("bus", "buses", "bus", "m", 3),
    ("plane", "planes", "avion", "m", 2),
    ("ticket", "tickets", "billet", "m", 3),
)
_CARDINALS = {
    str(number): french
    for number, french in enumerate(
        "premier deux trois quatre cinq six sept huit neuf dix onze douze".split(), start=1
    )
}
_MINUTES = (("five", "cinq"), ("ten", "dix"), ("twenty", "vingt"))
_MANY = "agr=ils per=ils mass=no def=no definite=no near=no possessive=no plain=no"
_MOST_HOURS = 12
_SLOTS = (1, 2)
"""How many unknown words of a kind a sentence holds."""


def say(main: str = "", **fields: str) -> Make:
    """Say the same, whatever the features."""
    said = {
        name: tuple(French(word) for word in french_words(text))
        for name, text in {"": main, **fields}.items()
        if text
    }
    return lambda _of: said


def small_words() -> Iterator[Entry]:
    """Make the entries of all small words."""
    for category, english, french, of, share in _SMALL:
        yield _entry(category, english, _parsed(of), say(french), share)
    for make in (
        _determiners,
        _pronouns,
        _operators,
        _being,
        _modals,
        _opinions,
        _numbers,
        _names,
        _adverbs,
        _phrases,
        _agreeing,
        _idioms,
        _slots,
    ):
        yield from make()


def _entry(
    category: str, english: str, of: Mapping[str, frozenset[str]], french: Make, share: float = 1.0
) -> Entry:
    return Entry(category, english_words(english), of, french, share)


def _parsed(text: str) -> dict[str, frozenset[str]]:
    return {name: values(value) for name, _, value in (f.partition("=") for f in text.split())}


def _articles(of: Features) -> tuple[French, ...]:
    text = "les" if _is_plural(of) else "la" if of.get("gen") == "f" else "le"
    return (French(text, article=True),)


def _is_plural(of: Features) -> bool:
    return of.get("per") in _PLURAL


def _partitive(of: Features) -> Said:
    """Return "du", "de la", "des"; "de" in a negated clause, and "de" for "des" before an adjective."""
    if of.get("neg") == "yes":
        words = ("de",)
    elif _is_plural(of):
        words = ("des",)
    else:
        words = ("de", "la") if of.get("gen") == "f" else ("de", "le")
    said = tuple(
        French(word, partitive=True, article=word in ("le", "la") and len(words) > 1)
        for word in words
    )
    return {"": said, "before_adjective": (French("de"),) if words == ("des",) else said}


def _another(of: Features) -> Said:
    words = (French("une" if of.get("gen") == "f" else "un"), French("autre"))
    return {"": words, "before_adjective": words}


def _more_of_it(of: Features) -> Said:
    return {name: (French("encore"), *words) for name, words in _partitive(of).items()}


def _determiners() -> Iterator[Entry]:
    for entry in _all_determiners():
        yield replace(
            entry,
            features={**_parsed("definite=no near=no possessive=no plain=no"), **entry.features},
        )


def _all_determiners() -> Iterator[Entry]:
    def the(of: Features) -> Said:
        return {"": _articles(of), "before_adjective": _articles(of)}

    def a(of: Features) -> Said:
        if _is_plural(of):  # "a holiday", "des vacances"
            return _partitive(of)
        text = "de" if of.get("neg") == "yes" else "une" if of.get("gen") == "f" else "un"
        return {name: (French(text),) for name in ("", "before_adjective")}

    definite = "def=yes definite=yes"
    yield _entry("Det", "the", _parsed("def=yes|same definite=yes mass=yes|no|one"), the, 40)
    yield _entry("Det", "a", _parsed("agr=il mass=no def=no plain=yes"), a, 28)
    some = "def=no neg=no|ask"
    yield _entry("Det", "some", _parsed(f"agr=ils per=ils mass=no {some} plain=yes"), _partitive, 7)
    yield _entry("Det", "some", _parsed(f"agr=il mass=yes {some} plain=yes"), _partitive, 7)
    yield _entry("Det", "some more", _parsed(f"agr=ils per=ils mass=no {some}"), _more_of_it, 0.4)
    yield _entry("Det", "some more", _parsed(f"agr=il mass=yes {some}"), _more_of_it, 0.4)
    any_ = "def=no neg=yes|ask"
    yield _entry("Det", "any", _parsed(f"agr=ils per=ils mass=no {any_}"), _partitive, 9)
    yield _entry("Det", "any", _parsed(f"agr=il mass=yes {any_}"), _partitive, 9)
    for english, agr, mass, french, share in _DETERMINERS:
        near = "yes" if english in ("this", "that", "these", "those") else "no"
        own = (
            f"own={_OWNERS[english]} owner={_OWN_GENDER.get(english, 'm|f')}"
            if near == "no"
            else ""
        )
        of = _parsed(f"{definite} agr={agr} mass={mass} near={near} possessive={_NOT[near]} {own}")
        yield _entry("Det", english, of, _agreeing_determiner(french), share)
    every = _parsed("def=yes agr=il per=il mass=no")
    for english, share in (("every", 1.5), ("each", 0.7)):
        yield _entry("Det", english, every, _both("chaque"), share)
    for english, agr, mass, french, share in _QUANTITIES:
        for number in agr.split("|"):
            measured = "yes" if number == "il" else mass
            per = "ils" if number == "ils" else "il|ils"
            of = _parsed(f"def=no agr={number} per={per} mass={measured} neg=no|ask")
            yield _entry("Det", english, of, _both(french), share * 0.7)
    another = _parsed("agr=il per=il mass=no def=no neg=no|ask")
    yield _entry("Det", "another", another, _another, 2)


_NOT = {"yes": "no", "no": "yes"}


def _both(french: str) -> Make:
    return say(french, before_adjective=french)


def _agreeing_determiner(french: str) -> Make:
    masculine, feminine, plural = french.split()

    def agree(of: Features) -> Said:
        text = plural if _is_plural(of) else feminine if of.get("gen") == "f" else masculine
        word = French(text, before_vowel=_BEFORE_VOWEL.get(text))
        return {"": (word,), "before_adjective": (word,)}

    return agree


def _pronouns() -> Iterator[Entry]:
    for english, french, per, gen, share in _SUBJECTS:
        ce = "no" if per in ("je", "tu", "nous") else "yes"
        of = _parsed(f"agr={per} per={per} gen={gen} kind=person ce={ce}")
        yield _entry("Pronoun", english, of, say(french), share)
    it = _parsed("agr=il per=il gen=m kind=thing|animal|weather|vehicle|food|building ce=yes")
    yield _entry("Pronoun", "it", it, say("il"), 3)
    for english, french, per, gen, number, share in _OBJECTS:
        direct, indirect, strong, direct_after, indirect_after = french.split()
        kind = "thing|food|animal|drink|clothes|abstract|event" if english == "it" else "person"
        kind = "person|animal|thing|food|clothes" if english == "them" else kind
        of = _parsed(f"per={per} cgen={gen} cper={number} kind={kind}")
        french_said = say(
            direct=direct,
            indirect=indirect,
            direct_after=direct_after,
            indirect_after=indirect_after,
        )
        yield _entry("ObjectPronoun", english, of, french_said, share)
        if english != "it":
            yield _entry("Strong", english, _parsed("kind=person"), say(strong), share)
    for index, per in enumerate(PERSONS):
        for gen, share in (("m", 1.0), ("f", 1.0 if per in ("il", "ils") else 0.0)):
            of = _parsed(f"agr={per} per={per} gen={gen}")
            yield _entry("Who", "", of, say(), (7, 4, 14, 4, 6)[index] * share)


def _operators() -> Iterator[Entry]:
    for english, kind, form, tense in _AUXILIARIES:
        time = {
            "future": "future",
            "past": "perfect",
            "past|imperfect": "past",
            "imperfect": "past",
        }
        share = {"future": 10, "past": 5, "imperfect": 5}.get(tense, 9)
        for per, word in zip(PERSONS, english, strict=True):
            of = {
                **_parsed(f"agr={per} form={form} tense={tense}"),
                "time": values(
                    time.get(tense, "present|future" if form == "ing" else "habit|present")
                ),
            }
            yield _entry("Do" if kind == "do" else "Operator", word, of, say(), share)
            if form == "base":
                yield _entry("ShortOperator", word, _parsed(f"agr={per}"), say())


def _being() -> Iterator[Entry]:
    """Make the forms of "be"; which French verb it is says what follows: être, avoir, faire."""
    forms = [
        *(("present", per, word) for per, word in zip(PERSONS, _BE["present"], strict=True)),
        *(("imperfect", per, word) for per, word in zip(PERSONS, _BE["imperfect"], strict=True)),
    ]
    verbs = "être|avoir|faire|venir|aller|coûter"
    for tense, per, word in forms:
        time = "past" if tense == "imperfect" else "habit|present"
        of = _parsed(f"agr={per} tense={tense} form=finite whole=no be={verbs} time={time}")
        yield _entry("Be", word, of, _as_verb, 3 if tense == "present" else 1)
        yield _entry("ShortOperator", word, _parsed(f"agr={per}"), say())
    tenses, whole = "future|inf|imperative|together", "être|avoir|faire"
    yield _entry("Be", "be", _parsed(f"tense={tenses} form=base whole=yes be={whole}"), _as_verb)
    yield _entry(
        "Be", "been", _parsed(f"tense=past form=participle whole=yes be={whole}|aller"), _as_verb
    )
    lasting = _parsed("tense=present form=since whole=yes be=être|avoir")
    yield _entry("Be", "been", lasting, _as_verb)


def _as_verb(of: Features) -> Said:
    return SpokenVerb.of(of.get("be") or "être", has_object=False).say(1)(of)


def _modals() -> Iterator[Entry]:
    for english, french, tense, neg, share in _MODALS:
        verb = conjugate(french)
        for index, per in enumerate(PERSONS):
            forms = {
                "present": verb.present[index],
                "conditional": verb.conditional(per),
                "imperfect": verb.imperfect(per),
            }
            yield _entry(
                "Modal", english, _parsed(f"per={per} neg={neg}"), say(forms[tense]), share
            )
    for per in PERSONS:
        would = conjugate("vouloir").conditional(per)
        yield _entry("Would", "would", _parsed(f"per={per}"), say(would))


def _opinions() -> Iterator[Entry]:
    rows = (
        ("think", "thought", "thought", "penser", 4),
        ("know", "knew", "known", "savoir", 2),
        ("hope", "hoped", "hoped", "espérer", 2),
        ("believe", "believed", "believed", "croire", 1),
        ("say", "said", "said", "dire", 1),
    )
    for english, past, participle, french, share in rows:
        row = {
            "past": past,
            "participle": participle,
            "ing": "",
            "french": french,
            "flags": "noing" if french == "dire" else "noing state",
            "often": str(share),
        }
        neg = "yes|no|ask" if french in ("savoir", "dire") else "no|ask"  # else a subjunctive
        yield from verb_entries("Opinion", english, row, {"neg": values(neg)})


def _numbers() -> Iterator[Entry]:
    for row in read_table("numbers"):
        if not row["value"].isdigit():
            continue
        number = int(row["value"])
        share = 8.0 if number <= 5 else 3.0 if number <= _MOST_HOURS else 0.25
        if number == 1:
            one = _agreeing_determiner("un une un")
            yield _entry(
                "Det",
                "one",
                _parsed(
                    "agr=il per=il mass=no def=no definite=no near=no possessive=no plain=no neg=no|ask"
                ),
                one,
                3,
            )
        elif number > 1:
            plural = _parsed("agr=ils")
            if not row["english"].startswith("a "):  # not "the a hundred cats"
                yield _entry("Count", row["english"], plural, _number(row["french"]), share)
            many = _parsed(_MANY)
            french = _number(row["french"])
            yield _entry("Det", row["english"], many, french, share / 4)
        if 1 <= number <= _MOST_HOURS:
            french = "une" if number == 1 else row["french"]
            hours = say(french, hours="heure" if number == 1 else "heures")
            yield _entry("Hour", row["english"], {}, hours, 2)
    for row in read_table("numbers"):
        if not row["value"].isdigit() and (cardinal := _CARDINALS.get(row["value"][:-2])):
            yield _entry("DateDay", row["english"], {}, say(cardinal))
    for english, french in _MINUTES:
        yield _entry("Minutes", english, {}, say(french))
    for slot in _SLOTS:
        text = f"<d{slot}>"
        yield _entry("Count", text, _parsed("agr=ils"), say(text), 8)
        yield _entry("Det", text, _parsed(_MANY), _both(text), 1.5)
        yield _entry("Hour", text, {}, say(text, hours="heures"), 4)


def _number(french: str) -> Make:
    """Say a number; "vingt et un" agrees, "vingt et une"."""
    masculine = _both(french)
    feminine = _both(f"{french}e" if french.endswith(" un") else french)
    return lambda of: (feminine if of.get("gen") == "f" else masculine)(of)


def _names() -> Iterator[Entry]:
    for row in read_table("names"):
        share, french, gen = weight(row), row["french"], row["gender"]
        if row["kinds"] == "first":
            yield _entry(
                "Name", row["english"], _parsed(f"gen={gen} named={gen}"), say(french), share
            )
        elif row["kinds"] == "city":
            yield _entry("City", row["english"], {}, say(french), share)
        elif row["kinds"] in ("country", "continent"):
            yield _country(row)
        elif row["kinds"] == "season":
            spring = french == "printemps"
            yield _entry("Season", row["english"], {}, _season(french, spring=spring), share)
        elif row["kinds"] == "feast" and row["gender"] == "-":
            yield _entry("Feast", row["english"], {}, say(french), share)
        elif row["kinds"] == "day":
            yield _entry("Day", row["english"], {}, say(french), share)
            yield _entry("Days", f"{row['english']}s", {}, say(french), share)
        elif row["kinds"] == "month":
            yield _entry("Month", row["english"], {}, say(french), share)
        else:
            yield _mass_name(row)
    for slot in _SLOTS:
        yield _entry("Name", f"<n{slot}>", _parsed("gen=m named=m|f"), say(f"<n{slot}>"), 90)


def _season(french: str, *, spring: bool) -> Make:
    said = {
        "": (French(french),),
        "the": (French("le", article=True),),
        "in": (French("au" if spring else "en"),),
    }
    return lambda _of: said


def _country(row: Row) -> Entry:
    """Make a country: "la France", "en France", "de France", but "le", "au", "du Canada"."""
    gen, words = row["gender"], tuple(French(word) for word in french_words(row["french"]))
    number = "ils" if gen == "p" else "il"
    article = {"f": "la", "m": "le", "p": "les"}.get(gen, "")
    opens = row["french"].startswith(tuple("aeiouéèêîhy"))
    fields = {
        "": (*((French(article, article=True),) if article else ()), *words),
        "in": (French("en" if gen == "m" and opens else _IN_COUNTRY[gen]),),
        "from": (French({"m": "de" if opens else "du", "p": "des"}.get(gen, "de")),),
        "bare": words,
    }
    english = f"the {row['english']}" if gen == "p" else row["english"]
    of = _parsed(f"agr=il per={number} gen={'f' if gen == 'f' else 'm'}")
    return _entry("Country", english, of, lambda _of: fields, weight(row))


def _mass_name(row: Row) -> Entry:
    """Make a sport, an instrument, a subject: nouns that French gives an article."""
    kind = {"doing": "sport", "sport": "sport|played"}.get(row["kinds"], row["kinds"])
    mass = "no" if kind == "instrument" and row["english"] != "drums" else "none"
    if row["english"] in _WITH_DETERMINER:
        mass = "yes"
    number = "ils" if row["gender"] == "p" else "il"
    gen = row["gender"] if row["gender"] in "mf" else "f" if row["french"] in _FEMININE else "m"
    bare = "yes" if row["english"] == "music" else "always"  # "de la musique", as "du pain"
    of = _parsed(f"agr=il per={number} gen={gen} mass={mass} bare={bare} of=thing kind={kind}")
    return _entry("Noun", row["english"], of, say(row["french"]), weight(row))


def _adverbs() -> Iterator[Entry]:
    for row in read_table("adverbs"):
        share = weight(row)
        time = "|".join(row["tenses"].split()) or "habit|present|past|future|perfect"
        if {"present", "past"} <= set(row["tenses"].split()):
            time += "|perfect"
        for kind in row["kinds"].split():
            if kind == "never":
                never = say(ne="ne", pas=row["french"])
                for category in ("Often", "Never"):
                    yield _entry(
                        category, row["english"], _parsed("neg=yes never=yes"), never, share
                    )
                continue
            if kind == "ever":
                yield _entry("Ever", row["english"], {}, say(row["french"]), share)
                continue
            category = {
                "frequency": "Often",
                "manner": "Manner",
                "place": "AtPlace",
                "goal": "ToPlace",
                "degree": "Degree",
                "time": "Time",
            }[kind]
            of = {}
            if kind == "frequency":
                negated = "yes|no" if row["english"] in _AFTER_NOT else "no"
                of = _parsed(f"neg=no never=no negated={negated}")
            if kind == "time":
                day = "no" if row["tenses"] == "habit past future" else "yes"
                of = _parsed(f"time={time} day={day}")
            if kind == "degree":
                graded = "yes|some" if row["english"] in ("really", "so") else "yes"
                neg = "yes|no|ask" if row["english"] in _AFTER_NOT else "no|ask"
                of = _parsed(f"graded={graded} neg={neg}")
            if kind == "manner" and row["english"] in _MUCH:
                category = "Much"
                fond = "yes" if row["english"] in ("a lot", "very much") else "no"
                well = "yes" if row["english"] in ("well", "very well", "badly", "better") else "no"
                of = _parsed(f"fond={fond} well={well}")
            if kind == "goal":
                of = _parsed(f"side={_SIDES.get(row['english'], 'no')}")
            yield _entry(category, row["english"], of, say(row["french"]), share)
    for row in read_table("prepositions"):
        if row["kinds"] == "transport":
            yield _entry("Transport", row["english"], {}, say(row["french"]), weight(row))
            continue
        around = row["english"] in ("before", "after", "during")
        if around or row["english"] not in _IN_RULES:
            proper = "no" if row["english"] in ("in", "into") else "yes|no"
            of = {"kind": kinds(row["kinds"]), "proper": values(proper)}
            category = "Around" if around else "Preposition"
            share = weight(row) * (0.1 if row["english"] in _OF_MOTION else 1)
            yield _entry(category, row["english"], of, say(row["french"]), share)


def _phrases() -> Iterator[Entry]:
    for row in read_table("phrases"):
        english = english_words(row["english"])
        links = [tuple(int(i) for i in link.split("+")) for link in row["links"].split()]
        said = [
            French(part, of=link)
            for word, link in zip(row["french"].split(), links, strict=True)
            for part in french_words(word)
        ]
        asks = english[-1] == "?"
        if english[-1] in ("?", "!"):
            english, said = english[:-1], said[:-1]
        category = "AskingPhrase" if asks else "Phrase"
        yield Entry(category, english, {}, lambda _of, said=tuple(said): {"": said})


def _agreeing() -> Iterator[Entry]:
    """Make the words that agree with a noun elsewhere in the clause."""
    yield _entry("The", "the", {}, lambda of: {"": _articles(of)})

    def possessive(of: Features) -> Said:
        return {"": _articles(of), "of": (French("de"),)}

    yield _entry("Possessive", "'s", {}, possessive)
    yield _entry("Zero", "", _parsed("how=part bare=yes"), _partitive)
    definite = _parsed("how=def bare=yes|always")
    always = _parsed("how=part bare=always neg=yes|no|ask")
    yield _entry(
        "Zero", "", always, lambda of: {"": _articles(of), "before_adjective": _articles(of)}
    )
    yield _entry(
        "Zero", "", definite, lambda of: {"": _articles(of), "before_adjective": _articles(of)}
    )
    forms = _by_gender_and_number("quel quelle quels quelles")
    yield _entry("Quel", "what", {}, forms, 3)
    yield _entry("Quel", "which", {}, forms, 2)
    yield _entry("All", "all", {}, _by_gender_and_number("tout toute tous toutes", always="ils"))
    yield _entry("GoodAt", "good at", {}, _by_gender_and_number("bon bonne bons bonnes"))
    for particle in sorted(PARTICLES):
        yield _entry("Particle", particle, _parsed(f"particle={particle}"), say())
    called = _by_gender_and_number("appelé appelée appelés appelées")
    yield _entry("CalledWord", "called", {}, called, 2)
    yield _entry("CalledWord", "named", {}, called, 1)
    yield _entry("Not", "not", _parsed("neg=yes"), say(ne="ne", pas="pas"))


def _idioms() -> Iterator[Entry]:
    """Make the words of what French says in another way: "je m'appelle", "j'ai mal au dos"."""
    for english, french, verb, gen in _NAMING:
        yield _entry("Naming", english, _parsed(f"named={gen}"), say(french, verb=verb))
    for english, french, verb in _POSSESSORS:
        yield _entry("Possessor", english, {}, say(french, verb=verb))
    for row in read_table("nouns"):
        if "body" in row["kinds"].split():
            yield from _body_part(row)
    for english, forms, french in _BODY_VERBS:
        past, participle, ing = forms.split() or ("", "", "")
        parts = {"past": past, "participle": participle, "ing": ing}
        row = {**parts, "french": f"se {french}", "flags": "invariable", "often": "2"}
        yield from verb_entries("BodyVerb", english, row, {"sub": values("person")})
    became = {"past": "became", "participle": "become", "ing": "becoming"}
    row = {**became, "french": "devenir", "flags": "", "often": "2"}
    yield from verb_entries("Become", "become", row, {})
    yield _entry("Born", "born", {}, _born)
    speak = {"past": "spoke", "participle": "spoken", "ing": "speaking"}
    row = {**speak, "french": "parler", "flags": "", "often": "3"}
    yield from verb_entries("Speak", "speak", row, {})
    for row in read_table("names"):
        if row["kinds"] == "language":
            yield _entry("Spoken", row["english"], {}, say(row["french"]), weight(row))
    for category, rows in (("Vessel", _VESSELS), ("Travelling", _TRAVELLING)):
        for singular, plural, french, gen, share in rows:
            one, many = (_parsed(f"agr={n} per={n} gen={gen}") for n in ("il", "ils"))
            yield _entry(category, singular, one, say(french), share)
            yield _entry(category, plural, many, say(plural_of(french)), share / 3)


def _born(of: Features) -> Said:
    said = SpokenVerb.of("naître", has_object=False).say(1)({**of, "tense": "past"})
    return {"": said["participle"], "helper": said["helper"]}


def _body_part(row: Row) -> Iterator[Entry]:
    """Make a part of the body as French says whose it is: with "le" ("se laver les mains")."""
    for entry in noun_entries(row):
        if "once" in entry.features["kind"] and entry.features["agr"] == {"ils"}:
            continue

        def said(of: Features, entry: Entry = entry) -> Said:
            settled = {name: next(iter(entry.features[name])) for name in ("per", "gen")}
            return {"": (*_articles(settled), *entry.french(of)[""])}

        of = {**entry.features, "hurts": values("no" if row["english"] in _PAINLESS else "yes")}
        yield replace(entry, category="BodyPart", features=of, french=said)


def _by_gender_and_number(text: str, *, always: str = "") -> Make:
    forms = text.split()

    def agree(of: Features) -> Said:
        plural = (always or of.get("per")) in _PLURAL
        return {"": (French(forms[2 * plural + (of.get("gen") == "f")]),)}

    return agree


def _slots() -> Iterator[Entry]:
    """Make the places of unknown nouns: masculine, whatever they are."""
    for slot in _SLOTS:
        for agr, text in (("il", f"<x{slot}>"), ("ils", f"<x{slot}s>")):
            bare = "no" if agr == "il" else "yes"
            of = _parsed(f"agr={agr} per={agr} gen=m bare={bare}")
            yield _entry("NounSlot", text, of, say(text), 3 if agr == "il" else 1)
