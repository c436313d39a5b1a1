"""A small valid lesson, and faults that such a file may have."""

from typing import NamedTuple

RIGHT = """
checkpoint = "everyday-paper-0"
title = { en = "Which word?", fr = "Quel mot ?" }
goal = { en = "You can tell.", fr = "Vous saurez." }
holds = [{ measure = "content words read", at_least = 0.9, sentences = 50 }]

[[step]]
kind = "ask"
page = "attention"
source = "the small black cat does not see the red house ."
see = { kind = "cross-attention", head = "best at content words", writes = "noir" }
cover = ["row", "words"]
prompt = { en = "Which word is read?", fr = "Quel mot est lu ?" }
answer = { kind = "largest" }
hints = [{ en = "Not see.", fr = "Pas see." }, { en = "A colour.", fr = "Une couleur." }]
why = { en = "French order.", fr = "L'ordre du français." }
[step.wrong]
see = { en = "It is next in English.", fr = "C'est le suivant en anglais." }
"""


class Damage(NamedTuple):
    """A replacement that makes the file wrong, and the only message that reports it."""

    old: str
    new: str
    says: str


FORM = (
    Damage(
        'goal = { en = "You can tell.", fr = "Vous saurez." }',
        'goal = { fr = "Vous saurez." }',
        "goal: the language en is missing",
    ),
    Damage(
        'goal = { en = "You can tell.", fr = "Vous saurez." }',
        'goal = "You can tell."',
        "goal: it must be text in each language, got text",
    ),
    Damage('"You can tell."', '"' + "very " * 41 + '"', "goal.en: at most 40 words, got 41"),
    Damage(
        '"You can tell."',
        '"You \\u202e can tell."',
        "goal.en: it contains the invisible character U+202E",
    ),
    Damage(
        'page = "attention"',
        'page = "atention"',
        "step 1.page: it must be one of attention, touch, map, masks, decoding, "
        "positions, training, induction; got “atention”; the nearest is “attention”",
    ),
    Damage(
        'head = "best at content words"',
        'layer = 1, head = "best at content words"',
        "step 1.see: no field here is called “layer”; the nearest is “place”",
    ),
    Damage(
        'writes = "noir"',
        'writes = "noir", reads = "chat"',
        "step 1.see: writes or reads names a row, not both",
    ),
    Damage(', writes = "noir"', "", "step 1: it needs see with writes or reads"),
    Damage(
        'cover = ["row", "words"]',
        'cover = ["words"]',
        "step 1.cover: hide the answer to the question: row or picture",
    ),
    Damage(
        ', { en = "A colour.", fr = "Une couleur." }]',
        "]",
        "step 1.hints: it needs two hints",
    ),
    Damage(
        'why = { en = "French order.", fr = "L\'ordre du français." }\n',
        "",
        "step 1: it needs why, which is shown after the answer",
    ),
    Damage(
        "cover = [",
        'edits = ["zero!decoder.layers.1.cross_attn.heads;h0"]\ncover = [',
        "step 1.edits 1: name a head by role, in parentheses",
    ),
    Damage(
        "cover = [",
        'edits = ["cut!decoder.layers.1.cross_attn.weights;c2"]\ncover = [',
        "step 1.edits 1: rows and columns are words in parentheses, not “c2”",
    ),
    Damage(
        "cover = [",
        'query = { line = "60" }\ncover = [',
        "step 1.query: no field here is called “line”; the nearest is “lines”",
    ),
    Damage(
        "title = { en",
        'title = { en = "a", en',
        "it is not valid TOML: Duplicate inline table key 'en' (at line 3, column 39)",
    ),
    Damage(
        "checkpoint =",
        "path = 1979-05-27\ncheckpoint =",
        "path: it must be a number, got a date or time",
    ),
)

CONTENT = (
    Damage(
        "everyday-paper-0",
        "everyday-paper-00",
        "step 1.checkpoint: no checkpoint is called “everyday-paper-00”; the "
        "nearest is “everyday-paper-0”",
    ),
    Damage(
        "small black cat",
        "smal black cat",
        "step 1.source: the model does not know “smal”; the nearest is “small”",
    ),
    Damage(
        'writes = "noir"',
        'writes = "noire"',
        "step 1.see.writes: there is no “noire” in “le petit chat noir ne voit pas la "
        "maison rouge . </s>”; the nearest is “noir”",
    ),
    Damage(
        'writes = "noir"',
        'writes = "noir", place = 2',
        "step 1.see.writes: place asks for number 2 of “noir”, there is only 1",
    ),
    Damage(
        "wrong]\nsee",
        "wrong]\nblakc",
        "step 1.wrong.blakc: there is no “blakc” to click; the nearest is “black”",
    ),
    Damage("wrong]\nsee", "wrong]\nblack", "step 1.wrong.black: “black” is right: the run says so"),
    Damage(
        "best at content words",
        "best at referents of it",
        "step 1.see.head: “best at referents of it” is a head of encoder self-attention",
    ),
    Damage(
        "cover = [",
        'edits = ["zapp!(best at content words).heads"]\ncover = [',
        "step 1.edits 1: no kind of change is called “zapp”",
    ),
    Damage(
        "cover = [",
        'edits = ["swap!(best at content words).weights;r(noir);c(cat)"]\ncover = [',
        "step 1.edits 1: swap needs a head, one row and two columns",
    ),
    Damage(
        "cover = [",
        'edits = ["scale!(best at content words).scores;a0"]\ncover = [',
        "step 1.answer: the two largest weights, 0.08 (the) and 0.08 (small), must be 0.2 apart",
    ),
)
