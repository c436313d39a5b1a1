"""English word forms by rule: plurals, verb forms, comparison."""

_VOWELS = "aeiou"


def plural(noun: str) -> str:
    """Return "boxes", "cities", "bus stops"."""
    if noun.endswith(("s", "x", "ch", "sh", "z")):
        return f"{noun}es"
    return _ies(noun) or f"{noun}s"


def third_person(verb: str) -> str:
    """Return "goes", "carries", "wakes up": the first word is inflected."""
    word, *rest = verb.split()
    ending = f"{word}es" if word.endswith(("s", "x", "ch", "sh", "z", "o")) else f"{word}s"
    irregular = {"have": "has", "be": "is"}
    return " ".join([irregular.get(word) or _ies(word) or ending, *rest])


def past(verb: str) -> str:
    """Return "carried", "used"."""
    if verb.endswith("e"):
        return f"{verb}d"
    return f"{stem}ied" if (stem := _before_y(verb)) else f"{verb}ed"


def ing_form(verb: str) -> str:
    """Return "making", "dying"."""
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith(("ee", "ye", "oe")):
        return f"{verb[:-1]}ing"
    return f"{verb}ing"


def compared(adjective: str) -> tuple[str, str] | None:
    """Return "bigger" and "biggest"; None if English says "more" and "most"."""
    if stem := _before_y(adjective):
        return (f"{stem}ier", f"{stem}iest") if _syllables(stem) <= 1 else None
    if _syllables(adjective) > 1:
        return None
    if adjective.endswith("e"):
        return f"{adjective}r", f"{adjective}st"
    doubled = (
        adjective + adjective[-1]
        if len(adjective) > 2  # consonant, vowel, consonant
        and adjective[-1] not in _VOWELS + "wxy"
        and adjective[-2] in _VOWELS
        and adjective[-3] not in _VOWELS
        else adjective
    )
    return f"{doubled}er", f"{doubled}est"


def _before_y(word: str) -> str | None:
    return word[:-1] if word.endswith("y") and word[-2] not in _VOWELS else None


def _ies(word: str) -> str | None:
    return f"{stem}ies" if (stem := _before_y(word)) else None


def _syllables(word: str) -> int:
    """Count groups of vowels, except a final "e"."""
    spoken = word[:-1] if word.endswith("e") and len(word) > 3 else word
    groups = "".join(c if c in f"{_VOWELS}y" else " " for c in spoken).split()
    return len(groups)
