"""The words: what each is called in both languages, its forms, and what it goes with.

Kinds ("person", "way", "heavy") say which words make sense together; a verb or an adjective
goes with a noun that shares a kind with it.
"""

from dataclasses import dataclass
from typing import Literal

Gender = Literal["m", "f"]


@dataclass(frozen=True, eq=False)
class Noun:
    """A noun; a mass noun ("bread") has no plural."""

    english: str
    english_plural: str | None
    french: str
    french_plural: str | None
    gender: Gender
    kinds: frozenset[str]

    @property
    def is_mass(self) -> bool:
        """Whether it is measured, not counted."""
        return self.english_plural is None


@dataclass(frozen=True, eq=False)
class Adjective:
    """An adjective with its French forms: masculine, feminine, and the plurals of both."""

    english: str
    french: tuple[str, ...]
    before: bool
    """Whether French puts it before its noun."""
    kinds: frozenset[str]

    def agree(self, gender: Gender, plural: bool) -> str:
        """Return the French form for a noun of that gender and number."""
        return self.french[2 * plural + (gender == "f")]


@dataclass(frozen=True, eq=False)
class Verb:
    """A verb; one without `objects` takes none."""

    base: str
    third: str
    past: str
    participle: str
    present_french: tuple[str, ...]
    """The forms of je, tu, il, nous, ils."""
    participle_french: str
    with_etre: bool
    """Whether its past is made with être, so that the participle agrees with the subject."""
    subjects: frozenset[str]
    objects: frozenset[str]


@dataclass(frozen=True, eq=False)
class Determiner:
    """A determiner; a form that does not exist is None. Partitives are two French words."""

    english: str
    masculine: str | None
    feminine: str | None
    plural: str | None

    def agree(self, gender: Gender, plural: bool) -> str:
        """Return the French form for a noun of that gender and number."""
        form = self.plural if plural else self.masculine if gender == "m" else self.feminine
        assert form is not None, f"{self.english} has no such form"
        return form


@dataclass(frozen=True, eq=False)
class Preposition:
    """A preposition and the kinds of noun that it takes here."""

    english: str
    french: str
    kinds: frozenset[str]


def _kinds(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _noun(english: str, french: str, gender: Gender, kinds: str) -> Noun:
    singular, _, plural = english.partition(" ")
    french_singular, _, french_plural = french.partition(" ")
    return Noun(
        singular, plural or None, french_singular, french_plural or None, gender, _kinds(kinds)
    )


def _adjective(english: str, french: str, kinds: str, *, before: bool = False) -> Adjective:
    return Adjective(english, tuple(french.split()), before, _kinds(kinds))


def _verb(
    english: str,
    present: str,
    participle: str,
    subjects: str,
    objects: str = "",
    *,
    with_etre: bool = False,
) -> Verb:
    base, third, past, *participles = english.split()
    return Verb(
        base,
        third,
        past,
        participles[0] if participles else past,
        tuple(present.split()),
        participle,
        with_etre,
        _kinds(subjects),
        _kinds(objects),
    )


def _er(stem: str, nous: str | None = None) -> str:
    """Return the present forms of a regular verb in -er."""
    return f"{stem}e {stem}es {stem}e {nous or stem + 'ons'} {stem}ent"


NOUNS = (
    _noun("man men", "homme hommes", "m", "person"),
    _noun("woman women", "femme femmes", "f", "person"),
    _noun("boy boys", "garçon garçons", "m", "person"),
    _noun("girl girls", "fille filles", "f", "person"),
    _noun("child children", "enfant enfants", "m", "person"),
    _noun("doctor doctors", "médecin médecins", "m", "person"),
    _noun("king kings", "roi rois", "m", "person"),
    _noun("queen queens", "reine reines", "f", "person"),
    _noun("father fathers", "père pères", "m", "person"),
    _noun("mother mothers", "mère mères", "f", "person"),
    _noun("animal animals", "animal animaux", "m", "animal"),
    _noun("cat cats", "chat chats", "m", "animal"),
    _noun("dog dogs", "chien chiens", "m", "animal"),
    _noun("horse horses", "cheval chevaux", "m", "animal"),
    _noun("bird birds", "oiseau oiseaux", "m", "animal"),
    _noun("rabbit rabbits", "lapin lapins", "m", "animal"),
    _noun("mouse mice", "souris souris", "f", "animal"),
    _noun("cow cows", "vache vaches", "f", "animal"),
    _noun("goat goats", "chèvre chèvres", "f", "animal"),
    _noun("hen hens", "poule poules", "f", "animal"),
    _noun("bee bees", "abeille abeilles", "f", "animal"),
    _noun("apple apples", "pomme pommes", "f", "thing food solid falling"),
    _noun("cake cakes", "gâteau gâteaux", "m", "thing food solid"),
    _noun("egg eggs", "œuf œufs", "m", "thing food falling"),
    _noun("bread", "pain", "m", "food solid"),
    _noun("cheese", "fromage", "m", "food solid"),
    _noun("meat", "viande", "f", "food solid"),
    _noun("soup", "soupe", "f", "food"),
    _noun("water", "eau", "f", "drink"),
    _noun("milk", "lait", "m", "drink"),
    _noun("tea", "thé", "m", "drink"),
    _noun("book books", "livre livres", "m", "thing written falling"),
    _noun("letter letters", "lettre lettres", "f", "thing written openable"),
    _noun("car cars", "voiture voitures", "f", "thing heavy vehicle landmark"),
    _noun("boat boats", "bateau bateaux", "m", "thing heavy vehicle surface"),
    _noun("box boxes", "boîte boîtes", "f", "thing heavy openable surface"),
    _noun("bag bags", "sac sacs", "m", "thing heavy openable"),
    _noun("stone stones", "pierre pierres", "f", "thing heavy falling surface solid"),
    _noun("table tables", "table tables", "f", "thing heavy surface shelter washable"),
    _noun("chair chairs", "chaise chaises", "f", "thing heavy surface shelter washable"),
    _noun("door doors", "porte portes", "f", "thing openable landmark washable"),
    _noun("window windows", "fenêtre fenêtres", "f", "thing openable washable"),
    _noun("key keys", "clé clés", "f", "thing falling"),
    _noun("hat hats", "chapeau chapeaux", "m", "thing falling"),
    _noun("flower flowers", "fleur fleurs", "f", "thing"),
    _noun("tree trees", "arbre arbres", "m", "thing falling shelter landmark"),
    _noun("house houses", "maison maisons", "f", "place building landmark"),
    _noun("school schools", "école écoles", "f", "place building landmark"),
    _noun("hotel hotels", "hôtel hôtels", "m", "place building landmark"),
    _noun("city cities", "ville villes", "f", "place"),
    _noun("garden gardens", "jardin jardins", "m", "place way"),
    _noun("field fields", "champ champs", "m", "place way"),
    _noun("forest forests", "forêt forêts", "f", "place way deep"),
    _noun("street streets", "rue rues", "f", "place way narrow"),
    _noun("road roads", "route routes", "f", "way narrow surface"),
    _noun("bridge bridges", "pont ponts", "m", "way narrow surface shelter"),
    _noun("lake lakes", "lac lacs", "m", "way deep"),
    _noun("river rivers", "rivière rivières", "f", "way deep"),
)

_EVERYTHING = "person animal thing place way"
_COLOURED = "animal thing building"

ADJECTIVES = (
    _adjective("small", "petit petite petits petites", _EVERYTHING, before=True),
    _adjective("big", "grand grande grands grandes", _EVERYTHING, before=True),
    _adjective("beautiful", "beau belle beaux belles", _EVERYTHING, before=True),
    _adjective("old", "vieux vieille vieux vieilles", _EVERYTHING, before=True),
    _adjective("good", "bon bonne bons bonnes", "person animal food drink written", before=True),
    _adjective("young", "jeune jeune jeunes jeunes", "person animal", before=True),
    _adjective("new", "nouveau nouvelle nouveaux nouvelles", "thing place way", before=True),
    _adjective("long", "long longue longs longues", "way written", before=True),
    _adjective("red", "rouge rouge rouges rouges", _COLOURED),
    _adjective("black", "noir noire noirs noires", _COLOURED),
    _adjective("white", "blanc blanche blancs blanches", _COLOURED),
    _adjective("blue", "bleu bleue bleus bleues", _COLOURED),
    _adjective("green", "vert verte verts vertes", _COLOURED),
    _adjective("yellow", "jaune jaune jaunes jaunes", _COLOURED),
    _adjective("tired", "fatigué fatiguée fatigués fatiguées", "person animal"),
    _adjective("sick", "malade malade malades malades", "person animal"),
    _adjective("happy", "heureux heureuse heureux heureuses", "person animal"),
    _adjective("sad", "triste triste tristes tristes", "person animal"),
    _adjective("lazy", "paresseux paresseuse paresseux paresseuses", "person animal"),
    _adjective("angry", "fâché fâchée fâchés fâchées", "person animal"),
    _adjective("wide", "large large larges larges", "way"),
    _adjective("narrow", "étroit étroite étroits étroites", "narrow"),
    _adjective("deep", "profond profonde profonds profondes", "deep"),
    _adjective("heavy", "lourd lourde lourds lourdes", "heavy"),
    _adjective("hot", "chaud chaude chauds chaudes", "food drink building"),
    _adjective("cold", "froid froide froids froides", "food drink building"),
    _adjective("hard", "dur dure durs dures", "solid"),
    _adjective("dirty", "sale sale sales sales", "thing place"),
    _adjective("expensive", "cher chère chers chères", "thing food building"),
)

_ANIMATE = "person animal"

VERBS = (
    _verb("see sees saw seen", "vois vois voit voyons voient", "vu", _ANIMATE, _EVERYTHING),
    _verb("eat eats ate eaten", _er("mang", "mangeons"), "mangé", _ANIMATE, "food"),
    _verb("drink drinks drank drunk", "bois bois boit buvons boivent", "bu", _ANIMATE, "drink"),
    _verb("cross crosses crossed", _er("travers"), "traversé", _ANIMATE, "way"),
    _verb("push pushes pushed", _er("pouss"), "poussé", _ANIMATE, "heavy"),
    _verb("love loves loved", _er("aim"), "aimé", _ANIMATE, _EVERYTHING + " food drink"),
    _verb("find finds found", _er("trouv"), "trouvé", _ANIMATE, _EVERYTHING + " food drink"),
    _verb("watch watches watched", _er("regard"), "regardé", _ANIMATE, "person animal vehicle"),
    _verb(
        "hear hears heard",
        "entends entends entend entendons entendent",
        "entendu",
        _ANIMATE,
        "person animal vehicle",
    ),
    _verb("help helps helped", _er("aid"), "aidé", "person", "person animal"),
    _verb(
        "lift lifts lifted",
        "soulève soulèves soulève soulevons soulèvent",
        "soulevé",
        "person",
        "heavy",
    ),
    _verb(
        "buy buys bought",
        "achète achètes achète achetons achètent",
        "acheté",
        "person",
        "thing food drink building",
    ),
    _verb("open opens opened", _er("ouvr"), "ouvert", "person", "openable"),
    _verb("close closes closed", _er("ferm"), "fermé", "person", "openable"),
    _verb("wash washes washed", _er("lav"), "lavé", "person", "animal vehicle washable"),
    _verb(
        "write writes wrote written",
        "écris écris écrit écrivons écrivent",
        "écrit",
        "person",
        "written",
    ),
    _verb("sleep sleeps slept", "dors dors dort dormons dorment", "dormi", _ANIMATE),
    _verb("sing sings sang sung", _er("chant"), "chanté", _ANIMATE),
    _verb("dance dances danced", _er("dans"), "dansé", _ANIMATE),
    _verb("work works worked", _er("travaill"), "travaillé", "person"),
    _verb(
        "arrive arrives arrived", _er("arriv"), "arrivé", "person animal vehicle", with_etre=True
    ),
    _verb("fall falls fell fallen", _er("tomb"), "tombé", "person animal falling", with_etre=True),
    _verb("stay stays stayed", _er("rest"), "resté", _ANIMATE, with_etre=True),
)

THE = Determiner("the", "le", "la", "les")
A = Determiner("a", "un", "une", None)
EVERY = Determiner("every", "chaque", "chaque", None)
THIS = Determiner("this", "ce", "cette", None)
THESE = Determiner("these", None, None, "ces")
MY = Determiner("my", "mon", "ma", "mes")
YOUR = Determiner("your", "ton", "ta", "tes")
HIS = Determiner("his", "son", "sa", "ses")
HER = Determiner("her", "son", "sa", "ses")
OUR = Determiner("our", "notre", "notre", "nos")
THEIR = Determiner("their", "leur", "leur", "leurs")
TWO = Determiner("two", None, None, "deux")
THREE = Determiner("three", None, None, "trois")
SOME = Determiner("some", "du", "de la", "des")
NOT_A = Determiner("a", "de", "de", None)
"""What "a" becomes when it goes with the object of a negated verb."""
NOT_ANY = Determiner("any", "de", "de", "de")
DETERMINERS = (
    *(THE, A, EVERY, THIS, THESE, MY, YOUR, HIS, HER, OUR, THEIR),
    *(TWO, THREE, SOME, NOT_A, NOT_ANY),
)

BEFORE_VOWEL = {
    "ce": "cet",
    "ma": "mon",
    "ta": "ton",
    "sa": "son",
    "beau": "bel",
    "vieux": "vieil",
    "nouveau": "nouvel",
}
"""Singular forms that change before a vowel by more than an apostrophe."""

PREPOSITIONS = (
    Preposition("in", "dans", _kinds("place")),
    Preposition("on", "sur", _kinds("surface")),
    Preposition("under", "sous", _kinds("shelter")),
    Preposition("behind", "derrière", _kinds("landmark")),
    Preposition("with", "avec", _kinds("person animal")),
)

# The five persons, in the order of a verb's forms.
JE, TU, IL, NOUS, ILS = range(5)

PRONOUNS: tuple[tuple[str, str, int, Gender], ...] = (
    ("i", "je", JE, "m"),
    ("you", "tu", TU, "m"),
    ("he", "il", IL, "m"),
    ("she", "elle", IL, "f"),
    ("we", "nous", NOUS, "m"),
    ("they", "ils", ILS, "m"),
)
"""English, French, person, gender; whoever speaks or is spoken to is a man by convention."""

BE_PRESENT = ("am", "are", "is", "are", "are")
BE_PAST = ("was", "were", "was", "were", "were")
ETRE_PRESENT = ("suis", "es", "est", "sommes", "sont")
ETRE_PAST = ("étais", "étais", "était", "étions", "étaient")
AVOIR_PRESENT = ("ai", "as", "a", "avons", "ont")

FREQUENCY_ADVERBS = (("often", "souvent"), ("always", "toujours"))
TIME_ADVERBS = {
    "present": (("today", "aujourd'hui"), ("here", "ici"), ("now", "maintenant")),
    "past": (("today", "aujourd'hui"), ("here", "ici"), ("yesterday", "hier")),
    "perfect": (("today", "aujourd'hui"), ("here", "ici")),
}
DEGREES = (("too", "trop"), ("very", "très"))
