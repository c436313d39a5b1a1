import random
import subprocess
import sys
from pathlib import Path

import pytest

from model.text import WholeWords, normalise, split_words

ROOT = Path(__file__).parents[2]
ELISIONS = [f"{c}'" for c in (*"cdjlmnst", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu")]
VERBS = {"m": "am", "re": "are", "s": "is", "ve": "have", "ll": "will"}
SUBJECTS = ("i", "you", "he", "she", "it", "we", "they")
PARTS = (
    *("l'", "qu'", "jusqu'", "t'", "'", "n't", "'s", "'re", "can", "cannot", "wo", "it", "they"),
    *("a", "é", "_", "-", "!", "?", ".", ",", " ", "  ", "\t"),
)


def plainly(text: str, known: set[str]) -> list[tuple[str, int, int]]:
    """Split as the documentation of `split_words` says, a character at a time."""
    found, word, start = [], "", 0
    for i, character in enumerate(f"{text} "):
        if not character.isspace():
            start = start if word else i
            word += character
        elif word:
            found += word_of_text(word, start, known)
            word = ""
    return found


def word_of_text(word: str, start: int, known: set[str]) -> list[tuple[str, int, int]]:
    if word and word[0] in ".,?!":
        return [(word[0], start, start + 1), *word_of_text(word[1:], start + 1, known)]
    if word and word[-1] in ".,?!":
        end = start + len(word)
        return [*word_of_text(word[:-1], start, known), (word[-1], end - 1, end)]
    if word in known:
        return [(word, start, start + len(word))]
    for i, character in enumerate(word):
        if character in ".,?!":
            rest = start + i + 1
            return [
                *part_of_word(word[:i], start, known),
                (character, rest - 1, rest),
                *inner(word[i + 1 :], rest, known),
            ]
    return part_of_word(word, start, known)


def inner(word: str, start: int, known: set[str]) -> list[tuple[str, int, int]]:
    cut = next((i for i, character in enumerate(word) if character in ".,?!"), len(word))
    rest = [(word[cut], start + cut, start + cut + 1)] if cut < len(word) else []
    if rest:
        rest += inner(word[cut + 1 :], start + cut + 1, known)
    return [*part_of_word(word[:cut], start, known), *rest]


def part_of_word(part: str, start: int, known: set[str]) -> list[tuple[str, int, int]]:
    end = start + len(part)
    if not part or part in known:
        return [(part, start, end)] if part else []
    for elision in ELISIONS:
        if part.startswith(elision) and part != elision:
            after = start + len(elision)
            return [(elision, start, after), *part_of_word(part[len(elision) :], after, known)]
    if part in ("can't", "cannot"):
        return [("can", start, start + 3), ("not", start + 3, end)]
    stem = part.removesuffix("n't")
    if stem not in ("", part) and all(c.isalnum() or c == "_" for c in stem):
        whole_stem = {"wo": "will", "sha": "shall"}.get(stem, stem)
        return [(whole_stem, start, end - 3), ("not", end - 3, end)]
    subject, _, verb = part.partition("'")
    if subject in SUBJECTS and verb in VERBS:
        return [(subject, start, start + len(subject)), (VERBS[verb], start + len(subject), end)]
    return [(part, start, end)]


def test_words_are_those_of_a_plain_reading():
    draw = random.Random(0)
    for _ in range(4000):
        text = "".join(draw.choices(PARTS, k=draw.randint(0, 9)))
        stretches = [text[i : i + draw.randint(1, 6)].strip() for i in range(len(text))]
        known = set(draw.sample(stretches, min(len(stretches), draw.randint(0, 2)))) - {""}
        words = split_words(normalise(text, lower_case=True), whole=WholeWords.of(known))
        assert [(word.text, *word.span) for word in words] == plainly(text, known), (text, known)


HOSTILE = {
    "stops inside a word": "'a' + '!' * (n - 2) + 'a'",
    "stops alone": "'!' * n",
    "elisions": '"l\'" * (n // 2)',
    "elisions before a letter": "\"qu'\" * (n // 3) + 'x'",
    "letters and stops": "'a!' * (n // 2)",
    "a contraction that is none": "'n' * n + \"n'tx\"",
    "a subject and a long verb": "\"i'\" + 'i' * n",
    "one long word": "'a' * n",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_long_hostile_text_is_split_within_a_bound_that_quadratic_work_exceeds(text: str):
    code = f"""
import resource
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
from model.text import WholeWords, normalise, split_words
n = 500_000
print(len(split_words(normalise({text}, lower_case=True), whole=WholeWords.of(["a", "l'a"]))))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr or "out of time"
    assert int(done.stdout) >= 1
