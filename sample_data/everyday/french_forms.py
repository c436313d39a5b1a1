"""French word forms by rule: plurals, and the four forms of an adjective."""

from sample_data.everyday.tables import Row


def plural(word: str) -> str:
    """Return the regular plural of a noun or an adjective: "gâteaux", "journaux"."""
    if word.endswith(("s", "x", "z")):
        return word
    if word.endswith(("eau", "eu", "œu")):
        return f"{word}x"
    return f"{word[:-2]}aux" if word.endswith("al") else f"{word}s"


def adjective(row: Row) -> dict[tuple[bool, bool], str]:
    """Return the forms of an adjective of the lexicon by (plural, feminine)."""
    masculine = row["french"]
    if row["feminine"] == "=":  # "orange" never changes
        feminine = masculine_plural = feminine_plural = masculine
    else:
        feminine = row["feminine"] or (masculine if masculine.endswith("e") else f"{masculine}e")
        masculine_plural = row["masculine_plural"] or plural(masculine)
        feminine_plural = plural(feminine)
    return {
        (False, False): masculine,
        (False, True): feminine,
        (True, False): masculine_plural,
        (True, True): feminine_plural,
    }
