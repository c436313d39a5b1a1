import random
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from model.text.normalised import WholeWords, normalise, split_words

ROOT = Path(__file__).parents[3]
ELISIONS = [f"{c}'" for c in (*"cdjlmnst", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu")]
VERBS = {"m": "am", "re": "are", "s": "is", "ve": "have", "ll": "will"}
SUBJECTS = ("i", "you", "he", "she", "it", "we", "they")
PARTS = (
    *("l'", "qu'", "jusqu'", "t'", "'", "n't", "'s", "'re", "can", "cannot", "wo", "it", "they"),
    *("a", "é", "_", "-", "!", "?", ".", ",", " ", "  ", "\t"),
)


def plainly(text: str, known: set[str]) -> list[tuple[str, int, int]]:
    """Split as the documentation of `split_words` says, one character at a time."""
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
    if stem not in ("", part) and stem.isascii() and stem.replace("_", "a").isalnum():
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


def test_a_place_is_the_same_whatever_else_is_in_the_text():
    draw = random.Random(0)
    signs = ["a", "İ", "é", "e\u0331", "\u0301", "\u20dd", "\u093e", "\u1175", "가", "'", "ﬃ", "ａ"]
    for _ in range(2000):
        text = unicodedata.normalize("NFC", "".join(draw.choices(signs, k=draw.randint(1, 6))))
        alone = normalise(text, lower_case=True)
        beside = normalise(f"{text}\t", lower_case=True)
        assert alone == beside.part(0, len(alone.text)), text


@pytest.mark.parametrize(
    ("typed", "words", "stretches"),
    [
        ("he can ﬁnd it", "he can find it", "he|can|ﬁnd|it"),
        ("oﬃce, ﬆeﬀ", "office , steff", "oﬃce|,|ﬆeﬀ"),
        ("ﬂy ﬄ ﬅ", "fly ffl st", "ﬂy|ﬄ|ﬅ"),
        ("Ｔｈｅ ｃａｔ ２１", "the cat 21", "Ｔｈｅ|ｃａｔ|２１"),
        ("ｉt＇s", "it is", "ｉt|＇s"),
        ("ｅ\u0301te\u0301", "été", "ｅ\u0301te\u0301"),
    ],
)
def test_ligatures_and_wide_letters_are_read_as_plain_ones(typed, words, stretches):
    pieces = split_words(normalise(typed, lower_case=True), whole=WholeWords.of(()))
    assert [piece.text for piece in pieces] == words.split()
    assert "|".join(typed[slice(*piece.span)] for piece in pieces) == stretches


def test_each_letter_of_a_ligature_has_its_place():
    read = normalise("aﬃ\u0301Ｂ!", lower_case=False)
    assert read.text == "affíB!"
    assert read.spans == ((0, 1), (1, 3), (1, 3), (1, 3), (3, 4), (4, 5))
    every = [
        chr(i) for i in (*range(0xFB00, 0xFB07), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))
    ]
    for character in every:
        assert normalise(character, lower_case=False).text.isascii()
        assert normalise(character, lower_case=False).text.isalpha()


@pytest.mark.parametrize("text", ["én't", "ı'm", "ſhe's", "puıſqu'on"])
def test_short_forms_are_of_plain_letters(text: str):
    words = split_words(normalise(text, lower_case=True), whole=WholeWords.of(()))
    assert [word.text for word in words] == [text]


WORDS = (
    *("i", "you", "it", "is", "us", "let", "that", "what", "who", "would", "not", "do", "'s"),
    *("girl", "parents", "house", "cats", "twenty", "one", "o'clock", "e-mail", "say", "yes"),
    *("donne", "-moi", "a", "-t-il", "l'", "ami", "he", "in", "5", "james"),
    *(".", ",", "?", "!"),
)


def read(text: str, *words: str) -> list[tuple[str, str]]:
    """Read a text as a word tokenizer does; return each word with its part of the text."""
    known = WholeWords.of({*WORDS, *words}, are_all=True)
    pieces = split_words(normalise(text, lower_case=True), whole=known)
    return [(piece.text, text[slice(*piece.span)]) for piece in pieces]


@pytest.mark.parametrize(
    ("typed", "words", "stretches"),
    [
        ("What’s that", "what is that", "What|’s|that"),
        ("that's who's", "that is who is", "that|'s|who|'s"),
        ("I'd you'd", "i would you would", "I|'d|you|'d"),
        ("Let's", "let us", "Let|'s"),
        ("it's don't", "it is do not", "it|'s|do|n't"),
        ("the girl's house", "the girl 's house", "the|girl|'s|house"),
        ("James's laptop's", "james 's laptop 's", "James|'s|laptop|'s"),
        ("the parents' house", "the parents 's house", "the|parents|'|house"),
        ("I say 'yes cats' in", "i say yes cats 's in", "I|say|yes|cats|'|in"),
        ("'cats' house", "cats house", "cats|house"),
        ("say 'you cats'", "say you cats", "say|you|cats"),
        ("“yes”, «it»!", "yes , it !", "yes|,|it|!"),
        ("(he) [is] {in} yes; it: *us*", "he is in yes it us", "he|is|in|yes|it|us"),
        ("'I'm' \"(it's)\"", "i am it is", "I|'m|it|'s"),
        ("yes — it – is - in … it…", "yes it is in it", "yes|it|is|in|it"),
        ("yes... (yes!)", "yes . . . yes !", "yes|.|.|.|yes|!"),
        ("\"xyz\" 'xyz'", "xyz xyz", "xyz|xyz"),
        ("twenty-one one-xyz", "twenty one one-xyz", "twenty|one|one-xyz"),
        ("e-mail twenty-one's", "e-mail twenty one 's", "e-mail|twenty|one|'s"),
        ("Donne-moi l'a-t-il", "donne -moi l' a -t-il", "Donne|-moi|l'|a|-t-il"),
        ("o'clock o'xyz", "o'clock o'xyz", "o'clock|o'xyz"),
        ("-5 -6 (-6)", "-5 -6 -6", "-5|-6|-6"),
        ("- -- '' «»", "", ""),
        ("?-!", "? !", "?|!"),
    ],
)
def test_typed_words_are_read_without_signs_and_short_forms(typed, words, stretches):
    found = read(typed)
    assert [word for word, _ in found] == words.split()
    assert "|".join(stretch for _, stretch in found) == stretches


@pytest.mark.parametrize(
    ("typed", "words", "stretches"),
    [
        ("Yes, it is!", "yes it is .", "Yes|it|is|!"),
        ("is it?!", "is it .", "is|it|?"),
        ("yes!!! it...", "yes . it . . .", "yes|!|it|.|.|."),
        ("“yes!”, it", "yes . it", "yes|!|it"),
        ("it,you say", "it you say", "it|you|say"),
        ("and/or it?", "and/or it .", "and/or|it|?"),
        ("/yes\\ _it_ ¡yes! , !", "yes it yes . .", "yes|it|yes|!|!"),
    ],
)
def test_marks_that_are_no_words_are_left_out_or_end_a_sentence(typed, words, stretches):
    known = WholeWords.of({"yes", "it", "is", "you", "say", "."}, are_all=True)
    found = split_words(normalise(typed, lower_case=True), whole=known)
    assert [piece.text for piece in found] == words.split()
    assert "|".join(typed[slice(*piece.span)] for piece in found) == stretches


def test_what_is_no_word_is_no_mark_and_no_possessive_and_nothing_is_left_out_among_few_words():
    for typed, known, words in (
        ("yes, it! yes? it.", {"yes", "it"}, ["yes", "it", "yes", "it"]),
        ("girl's", {"girl"}, ["girl's"]),
        ("parents' house", {"parents", "house"}, ["parents", "house"]),
    ):
        piece = normalise(typed, lower_case=True)
        found = split_words(piece, whole=WholeWords.of(known, are_all=True))
        assert [word.text for word in found] == words
    typed = "that's the girl's (house) twenty-one"
    few = WholeWords.of({"that", "is", "girl", "'s", "house", "twenty", "one"})
    found = split_words(normalise(typed, lower_case=True), whole=few)
    assert [word.text for word in found] == typed.split()


def test_signs_that_are_words_stay():
    assert [word for word, _ in read("yes; (it)", ";", "(")] == ["yes", ";", "(", "it"]
    assert [word for word, _ in read("yes; 'it'", "yes;", "'it'")] == ["yes;", "'it'"]
    assert [word for word, _ in read("that's girl's", "that's", "girl's")] == ["that's", "girl's"]


HOSTILE = {
    "stops inside a word": "'a' + '!' * (n - 2) + 'a'",
    "stops alone": "'!' * n",
    "elisions": '"l\'" * (n // 2)',
    "elisions before a letter": "\"qu'\" * (n // 3) + 'x'",
    "letters and stops": "'a!' * (n // 2)",
    "a contraction that is none": "'n' * n + \"n'tx\"",
    "a subject and a long verb": "\"i'\" + 'i' * n",
    "one long word": "'a' * n",
    "signs": "'(' * n",
    "quotes around a letter": "\"'\" * (n // 2) + 'a' + \"'\" * (n // 2)",
    "hyphens": "'a-' * (n // 2)",
    "hyphens alone": "'-' * n + '5'",
    "possessives": '"a\'s" * (n // 3)',
    "an apostrophe behind each": '"as\' " * (n // 4)',
    "a long owner": "'a' * n + \"'s\"",
    "signs and stops": "'(.' * (n // 2)",
    "words and signs": "'(a) ' * (n // 4)",
}


@pytest.mark.slow
def test_long_hostile_text_is_read_within_a_bound_that_quadratic_work_exceeds():
    code = f"""
import resource
from model.text.normalised import WholeWords, normalise, split_words
n = 100_000
for text in [{", ".join(HOSTILE.values())}]:
    used = int(resource.getrusage(resource.RUSAGE_SELF).ru_utime)
    resource.setrlimit(resource.RLIMIT_CPU, (used + 10, resource.RLIM_INFINITY))
    read = normalise(text, lower_case=True)
    split_words(read, whole=WholeWords.of(["a", "l'a"]))
    split_words(read, whole=WholeWords.of(["a", "l'a", "'s", "-a", "-a-a"], are_all=True))
    print(text[:9])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"out of time after {done.stdout}" + done.stderr
