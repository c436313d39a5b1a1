"""Nouns, adjectives and verbs of the lexicon as entries of the grammar."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product

from sample_data.everyday import english_forms
from sample_data.everyday.spoken_verb import SpokenVerb
from sample_data.everyday.tables import Row, english_words, french_words, read_table
from sample_data.grammar.lexicon import Entry, Features, French, Said

_ANIMATE = frozenset({"person", "animal", "family", "job", "pet"})
_ALL = frozenset(
    "person animal thing place food drink clothes vehicle building room furniture body".split()
)
_ALWAYS_DEFINITE = frozenset({"sport", "subject", "language", "instrument", "meal", "bare"})
_BEFORE_VOWEL = {"beau": "bel", "vieux": "vieil", "nouveau": "nouvel", "fou": "fol"}
_BETTER = {"bon": "meilleur", "mauvais": "pire"}
"""Comparatives that stand before their noun."""
_WEATHER = frozenset({"cold", "hot", "warm", "cool", "sunny", "windy", "cloudy", "dark"})
"""Of "it" these say the weather: "il fait froid", not "c'est froid"."""
_WITH_THE = frozenset(
    "other same only next last first second third following favourite favorite".split()
)
"""Adjectives that stand behind "the" or "my", not behind "a"."""
_UNGRADED = frozenset(
    "square everyday excellent great perfect ideal magic possible impossible correct false empty full open"
    " closed broken used wooden plastic gold foreign single married dead blind deaf asleep awake alone"
    " ready huge enormous tiny ancient wonderful fantastic amazing terrible horrible awful"
    " delicious".split()
)
"""Adjectives that no teacher says "very" or "a bit" before, though "really" and "so"."""
PARTICLES = frozenset("up on off away out down back".split())
"""Of "put on": a pronoun stands before them ("put it on")."""
_TASTES = frozenset({"like", "love", "hate", "prefer", "adore", "dislike"})
"""Verbs whose object without an article is the kind as a whole: "j'aime les chats"."""
_OTHERS = "je|tu|nous|ils"

Make = Callable[[Features], Said]


def values(text: str) -> frozenset[str]:
    """Return the alternatives that a text lists: "je|tu"."""
    return frozenset(text.split("|"))


def features(**texts: str) -> dict[str, frozenset[str]]:
    """Return features by their alternatives."""
    return {name: values(text) for name, text in texts.items()}


def weight(row: Row) -> float:
    """Return how often a word is drawn: each step of "often" nearly doubles it."""
    return 1.8 ** (int(row["often"]) - 1)


def kinds(text: str) -> frozenset[str]:
    """Return the kinds of a field, "all" written out; a job and a relative are persons too."""
    found = frozenset(text.split())
    if "all" in found:
        found = (found - {"all"}) | _ALL
    if found & {"job", "family"}:
        found |= {"person"}
    return found


def _noun_said(text: str, feminine: str, *, plural: bool) -> Make:
    """Say a noun; said of somebody, a job agrees with who has it ("elle est infirmière")."""
    said = tuple(French(word) for word in french_words(text))
    of_her = plural_of(feminine) if plural else feminine
    hers = tuple(French(word) for word in french_words(of_her)) or said
    return lambda of: {"": said, "job": hers if of.get("sgen") == "f" else said}


def nouns() -> Iterator[Entry]:
    """Make an entry of each form of each noun."""
    for row in read_table("nouns"):
        yield from noun_entries(row)


def noun_entries(row: Row) -> Iterator[Entry]:
    english = {
        "il": "" if row["english"] == "-" else row["english"],
        "ils": ""
        if row["plural"] == "-"
        else row["plural"] or english_forms.plural(row["english"]),
    }
    french = {
        "il": "" if row["french"] == "-" else row["french"],
        "ils": ""
        if row["french_plural"] == "-"
        else row["french_plural"] or plural_of(row["french"]),
    }
    if english["ils"] == english["il"]:  # which number "the fish" has, nobody can see
        english["ils"] = ""
    spoken = [number for number in ("il", "ils") if english[number]]
    for agr in spoken:
        per = agr if french[agr] else next(number for number in ("il", "ils") if french[number])
        of_kinds = kinds(row["kinds"])
        entry = Entry(
            "Noun",
            english_words(english[agr]),
            {
                **features(agr=agr, per=per, gen=row["gender"]),
                "mass": values(_mass(row["plural"] == "-", of_kinds)),
                "bare": values(
                    "no"  # "jeans" are one thing in French: never "du jean"
                    if agr == "ils" and per == "il"
                    else _bare(of_kinds, counted=row["plural"] != "-" and agr == "il")
                ),
                "sgen": values(
                    "m|f" if row["feminine"] or "job" not in of_kinds else row["gender"]
                ),
                "owner": values("no" if agr == "ils" and english[agr].endswith("s") else "yes"),
                "of": values("animate" if of_kinds & _ANIMATE else "thing"),
                "kind": of_kinds,
            },
            _noun_said(french[per], row["feminine"], plural=per == "ils"),
            weight(row) * (1 if agr == "il" or len(spoken) == 1 else 0.5),
        )
        yield entry
        if row["feminine"]:  # "a singer" is masculine, unless it is said of her
            hers = plural_of(row["feminine"]) if per == "ils" else row["feminine"]
            yield replace(
                entry,
                features={**entry.features, "gen": values("f")},
                french=_noun_said(hers, "", plural=False),
                weight=entry.weight / 4,
                preference=-1,
            )


def _mass(uncounted: bool, of_kinds: frozenset[str]) -> str:
    """Say whether it is measured: "some bread", and "some cake" beside "a cake"; the sun is "one"."""
    if "unique" in of_kinds:
        return "one"
    return "yes" if uncounted else "yes|no" if "measured" in of_kinds else "no"


def _bare(of_kinds: frozenset[str], *, counted: bool) -> str:
    """Say whether English leaves the article out: "football" always, "milk" and "cats" may."""
    if "unique" in of_kinds:
        return "no"
    if of_kinds & _ALWAYS_DEFINITE and "counted" not in of_kinds:
        return "always"
    return "yes|no" if "measured" in of_kinds else "no" if counted else "yes"


def plural_of(french: str) -> str:
    """Return the regular French plural of a noun or an adjective."""
    if french.endswith(("s", "x", "z")):
        return french
    if french.endswith(("eau", "eu", "œu")):
        return f"{french}x"
    return f"{french[:-2]}aux" if french.endswith("al") else f"{french}s"


def adjectives() -> Iterator[Entry]:
    """Make entries of adjectives, and of their comparatives and superlatives in -er and -est."""
    for row in read_table("adjectives"):
        yield from _adjective(row)


def _adjective(row: Row) -> Iterator[Entry]:
    of_kinds = kinds(row["kinds"])
    said = {
        "place": values(
            "none" if row["use"] == "be" else "before" if row["position"] == "b" else "after"
        ),
        "predicate": values("no" if row["use"] == "noun" else "yes"),
        "def": values(
            "same"
            if row["english"] == "same"
            else "yes"
            if row["english"] in _WITH_THE
            else "yes|no"
        ),
        "graded": values(
            "no" if row["use"] == "noun" else "some|no" if _is_ungraded(row) else "yes|some|no"
        ),
        "weather": values("yes" if row["english"] in _WEATHER else "no"),
        "kind": of_kinds,
        "of": values(
            "animate"
            if of_kinds <= _ANIMATE
            else "thing"
            if of_kinds.isdisjoint(_ANIMATE)
            else "both"
        ),
    }
    short = _comparison(row)
    how = "none" if row["compare"] == "-" else "er" if short else "more"
    agree = _agreeing(row)
    yield Entry(
        "Adjective",
        english_words(row["english"]),
        {**said, "compare": values(how)},
        agree,
        weight(row),
    )
    if short:
        for category, english in zip(("Comparative", "Superlative"), short, strict=True):
            order = values("before" if row["french"] in _BETTER else "after")
            of = {**said, "order": order}
            yield Entry(category, (english,), of, _compared(row, agree), weight(row))


def _is_ungraded(row: Row) -> bool:
    return row["english"] in _UNGRADED or "nationality" in row["kinds"].split()


def _comparison(row: Row) -> tuple[str, str] | None:
    given = row["compare"]
    if given in ("-", "more"):
        return None
    if given == "er":
        stem = row["english"].removesuffix("y")
        word = f"{stem}i" if stem != row["english"] else stem.removesuffix("e")
        return f"{word}er", f"{word}est"
    if given:
        comparative, superlative = given.split()
        return comparative, superlative
    return english_forms.compared(row["english"])


def _agreeing(row: Row) -> Make:
    forms = french_forms(row)

    def agree(of: Features) -> Said:
        text = forms[of.get("per") in ("nous", "ils"), of.get("gen") == "f"]
        words = french_words(text)
        special = None if of.get("per") in ("nous", "ils") else _BEFORE_VOWEL.get(text)
        return {
            "": tuple(French(word) for word in words),
            "attributive": tuple(French(word, before_vowel=special) for word in words),
        }

    return agree


def french_forms(row: Row) -> dict[tuple[bool, bool], str]:
    """Return the forms of an adjective by (plural, feminine)."""
    masculine = row["french"]
    if row["feminine"] == "=":
        return dict.fromkeys(product((False, True), repeat=2), masculine)
    feminine = row["feminine"] or (masculine if masculine.endswith("e") else f"{masculine}e")
    return {
        (False, False): masculine,
        (False, True): feminine,
        (True, False): row["masculine_plural"] or plural_of(masculine),
        (True, True): plural_of(feminine),
    }


def _compared(row: Row, agree: Make) -> Make:
    if row["french"] == "bon marché":  # "moins cher", never "plus bon marché"
        dear = _agreeing({**row, "french": "cher", "feminine": "chère", "masculine_plural": ""})
        return lambda of: {"": (French("moins"), *dear(of)[""])}
    better = _BETTER.get(row["french"])

    def compare(of: Features) -> Said:
        if better is None:
            return {"": (French("plus"), *agree(of)[""])}
        feminine = "e" if of.get("gen") == "f" and better == "meilleur" else ""
        return {"": (French(better + feminine + "s" * (of.get("per") in ("nous", "ils"))),)}

    return compare


def verbs() -> Iterator[Entry]:
    """Make entries of all forms of verbs, and of those that take another verb."""
    for row in read_table("verbs"):
        flags = row["flags"].split()
        frame = {
            "frame": values("object" if row["object"] else "none"),
            "sub": kinds(row["subject"] or "person"),
            **({"obj": kinds(row["object"])} if row["object"] else {}),
            **{
                flag: values("yes" if flag in flags else "no")
                for flag in ("give", "to", "from", "at", "turn", "placed")
            },
            "taste": values("yes" if row["english"] in _TASTES else "no"),
            "have": values("yes" if row["french"] == "avoir" else "no"),
        }
        yield from verb_entries("Verb", row["english"], row, frame)
    for row in read_table("catenatives"):
        english, _, form = row["english"].rpartition(" ")
        frame = {
            "inf": values(form),
            "neg": values("yes|no|ask") if english != "have" else values("no"),
        }
        yield from verb_entries("Catenative", english, row, frame)


def verb_entries(
    category: str, english: str, row: Row, frame: Mapping[str, frozenset[str]]
) -> Iterator[Entry]:
    flags = row["flags"].split()
    first, *rest = english.split()
    spoken = SpokenVerb.of(
        row["french"],
        has_object=bool(row.get("object")) or category != "Verb",
        invariable="invariable" in flags,
    )
    past = "" if row["past"] == "-" else row["past"] or english_forms.past(first)
    ongoing = "" if "noing" in flags else row["ing"] or english_forms.ing_form(first)
    settled = "imperfect" if "state" in flags else "past"
    orders = "" if {"state", "noorder"} & set(flags) else "|imperative|together"
    forms = [
        (first, features(form="base", tense=f"present|future|inf|habit|{settled}{orders}")),
        (first, features(form="finite", agr=_OTHERS, tense="present")),
        (english_forms.third_person(first), features(form="finite", agr="il", tense="present")),
        (past, features(form="past", tense=settled)),
        (row["participle"] or past, features(form="participle", tense="past")),
        (ongoing, features(form="ing", tense="present|imperfect|inf")),
    ]
    if {"state", "lasting"} & set(flags):  # "has lived here for a year", "habite ici depuis un an"
        forms.append((row["participle"] or past, features(form="since", tense="present")))
    if "noing" in flags:
        ing = row["ing"] or english_forms.ing_form(first)
        forms.append((ing, features(form="ing", tense="inf")))
    splits = bool(row.get("object")) and len(rest) == 1 and rest[0] in PARTICLES
    whole = {"gov": values(spoken.governs), "whole": values("no" if splits else "yes")}
    for form, of in ((form, of) for form, of in forms if form):
        words = (form, *english_words(" ".join(rest)))
        said = {**frame, **of, **whole}
        preference = int("first" in flags)
        yield Entry(category, words, said, spoken.say(len(words)), weight(row), preference)
        if splits:
            split = {**said, "particle": values(rest[0])}
            yield Entry("SplitVerb", (form,), split, spoken.say(1), weight(row))
