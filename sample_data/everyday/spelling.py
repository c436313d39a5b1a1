"""How adjacent words change each other: elision, "au" and "des", "bel" and "cet", "an"."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from sample_data.grammar.lexicon import French
from sample_data.grammar.trees import Translated, Tree
from sample_data.pairs import Pair

_ELIDED = frozenset({"le", "la", "ne", "je", "me", "te", "se", "que", "de", "ce"})
_VOWELS = tuple("aeiouàâéèêëîïôùûœæh")
_JOINED = {("à", "le"): "au", ("à", "les"): "aux", ("de", "le"): "du", ("de", "les"): "des"}
_AN = ("a", "e", "i", "o", "u", "hour", "honest")
_NOT_AN = ("uni", "use", "usu", "euro", "one")


def to_pair(tree: Tree, *, aspirated: frozenset[str]) -> Pair:
    """Spell a sentence in both languages, each French word with its English ones.

    `aspirated` lists the French words without elision before them, although they begin with a vowel
    or with an h.
    """

    def opens(word: Translated | None) -> bool:
        return word is not None and _opens(word.word.text, aspirated)

    source = tree.english
    position = {word: index for index, word in enumerate(source)}
    target = _before_vowels(_join_articles(_drop_partitives(tree.french("")), opens), opens)
    return Pair(
        " ".join(_with_an([word.text for word in source])),
        " ".join(word.word.text for word in target),
        frozenset((position[each], j) for j, word in enumerate(target) for each in word.of),
    )


def _opens(text: str, aspirated: frozenset[str]) -> bool:
    """Return whether a French word begins with the sound of a vowel."""
    if text in aspirated or text[:-1] in aspirated:  # "hamburger", and "hamburgers"
        return False
    return text in ("y", "yeux") or text.startswith(_VOWELS)


def _drop_partitives(words: list[Translated]) -> list[Translated]:
    """Write "besoin de pain" for "besoin de du pain"."""
    kept: list[Translated] = []
    for word in words:
        before = kept[-1].word if kept else None
        if not (word.word.partitive and before and before.text == "de" and not before.partitive):
            kept.append(word)
    return kept


def _join_articles(
    words: list[Translated], opens: Callable[[Translated | None], bool]
) -> list[Translated]:
    """Write "au", "du", "aux" and "des"; "à l'" and "de l'" stay separate."""
    joined: list[Translated] = []
    for word, after in zip(words, [*words[1:], None], strict=True):
        before = joined[-1] if joined else None
        both = _JOINED.get((before.word.text, word.word.text)) if before else None
        if before and both and word.word.article and not (word.word.text == "le" and opens(after)):
            joined[-1] = Translated(French(both), tuple(dict.fromkeys(before.of + word.of)))
        else:
            joined.append(word)
    return joined


def _before_vowels(
    words: list[Translated], opens: Callable[[Translated | None], bool]
) -> list[Translated]:
    """Write "l'", "qu'", "bel" and "cet" where a vowel follows, "s'" before "il"."""
    return [
        Translated(French("s'"), this.of)
        if this.word.text == "si" and after and after.word.text in ("il", "ils")
        else Translated(French(_before_vowel(this.word)), this.of)
        if opens(after)
        else this
        for this, after in zip(words, [*words[1:], None], strict=True)
    ]


def _before_vowel(word: French) -> str:
    if word.before_vowel:
        return word.before_vowel
    return f"{word.text[:-1]}'" if word.text in _ELIDED else word.text


def _with_an(words: Sequence[str]) -> list[str]:
    spelled = [
        "an" if word == "a" and _sounds_open(after) else word for word, after in pairwise(words)
    ]
    return [*spelled, *words[-1:]]


def _sounds_open(word: str) -> bool:
    return word.startswith(_AN) and not word.startswith(_NOT_AN)
