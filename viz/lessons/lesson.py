"""What a lesson is: its steps, what each asks, where on which page, and the closed lists of names.

A lesson is one TOML file, NAME.toml; `sample_data/lessons/which-word.toml` is one to begin from:

    path = 1                              # place in the list; 1 to 4 are the ten-minute path
    minutes = 3
    checkpoint = "everyday-paper-0"
    title = { en = "...", fr = "..." }    # every text in both languages, at most 40 words
    goal = { en = "...", fr = "..." }     # what one will be able to do

    [[step]]
    kind = "ask"                          # show, ask, vary or check
    page = "attention"
    source = "the small black cat ."
    see = { kind = "cross-attention", head = "best at content words", writes = "noir" }
    edits = ["zero!(best at content words).heads"]    # see `edits.py`
    query = { lines = "60" }              # the page's own parameters
    cover = ["row", "words"]              # until the commit
    prompt = { en = "...", fr = "..." }
    answer = { kind = "largest" }
    wrong.see = { en = "...", fr = "..." }            # by what may be clicked, or low and high
    hints = [{ en = "...", fr = "..." }, { en = "...", fr = "..." }]
    why = { en = "...", fr = "..." }      # after the commit

No head is named by its number, and no answer is written: both are found in the checkpoint's run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, Self

from texts import LANGUAGES, Language
from viz.run.axes import AttentionKind

StepKind = Literal["show", "ask", "vary", "check"]
"""To be looked at; asked for the first time; the same with something else; asked without help."""

HeadName = Literal[
    "best at content words",
    "best at all tokens",
    "best at negations",
    "best at referents of it",
    "best at nouns of determiners and adjectives",
    "best at the token before",
    "best at what followed copies",
]
"""Which head, by what it does best of all heads of its attention: see `places.find_head`. The last
is of a model of one text."""

Cover = Literal["row", "picture", "labels", "thumbnails", "words", "translation", "numbers"]
"""What is hidden until the commit: the weights of the asked row, or of the whole head; what names
the rows; what tells the heads apart beside their pictures (titles, roles, order), and the mark of
the one in view; the words written from the asked row on, or all of them; every table, card, measure
and effect of an edit that tells."""

AnswerKind = Literal[
    "largest", "row_that_writes", "written", "same", "number", "count", "order", "depth", "choice"
]
"""What is asked for, and so what may be clicked.

largest          the key that the asked row reads most; with `over = "heads"` the head of which the
                 row reads the column `word` most
row_that_writes  the row of the decoder, named by the token that it reads, that writes `word`
written          what is written with the edits where the row of `see` is without; three `words`
same             whether the text is the same as that of `source`, with the same edits
number           a number, `of` the run or of what the step gives; right within `near`
count            a count of the run: `of`; right within `near`
order            three `checkpoints`, from the fewest steps of training to the most
depth            the first depth of the decoder at which the word of the row comes first
choice           whether `of` is less, same or more with the edits of the step than without them;
                 three `chips` of these names
"""

Number = Literal[
    "probability of the text",
    "dot product",
    "times the weight",
    "likeness of places",
    "times as long",
]
"""The last four: the dot product of the lists `query` and `key`; the weight of the first of two
scores, `numbers`, divided by that of the second; the dot product of the positional encodings of two
places, `numbers`; how many times as long the rows of `tensor` are with the edits of the step."""
Count = Literal[
    "right samples",
    "keys in reach",
    "predictions in a pass",
    "rows that change",
    "numbers above 0",
]
"""The last two: the rows of `tensor` that the edits of the step change, and the numbers above 0 in
its asked row."""
Compared = Literal[
    "entropy of the kind", "gradient of the kind", "largest weight", "loss of the right text"
]

Page = Literal[
    "attention", "touch", "map", "masks", "decoding", "positions", "training", "induction"
]
_MORE = ("more_numbers", "more_stages", "more_scaling")
PAGE_QUERY: Mapping[Page, frozenset[str]] = MappingProxyType(
    {
        "attention": frozenset({"lines", "order", *_MORE}),
        "touch": frozenset(),
        "map": frozenset({"tensor"}),
        "masks": frozenset({"causal"}),
        "decoding": frozenset({"decoding", "drawn", "shaping", "more_decoding_lens"}),
        "positions": frozenset(
            {
                *("positions_change", "positions_where"),
                *("more_positions_order", "more_positions_encoding"),
            }
        ),
        "training": frozenset({"lapse_series", "lapse_example", "snapshot"}),
        "induction": frozenset(),
    }
)
"""The parameters of its link that a lesson may set, for each page that a lesson may open."""

MOST_WORDS = 40
"""Of a text, in each language."""
MOST_STEPS = 12
LEAST_MARGIN = 0.2
"""The largest weight is so far above the next, or is not asked for."""


@dataclass(frozen=True)
class Text:
    """One text by language: plain text, shown as it is."""

    by_language: Mapping[Language, str]

    def said(self, language: Language) -> str:
        """Return it in a language; in English where it is not written in that."""
        return self.by_language.get(language) or self.by_language[LANGUAGES[0]]

    @classmethod
    def same(cls, text: str) -> Self:
        """Return what is written alike in all languages."""
        return cls(dict.fromkeys(LANGUAGES, text))


NO_TEXT = Text.same("")


@dataclass(frozen=True)
class See:
    """What of the run is looked at, by role."""

    kind: AttentionKind
    head: HeadName | None = None
    """None where no head is in view."""
    writes: str = ""
    """The row that writes this token; of a decoder."""
    reads: str = ""
    """The row of this token, that reads; of the encoder, or what a decoder has written last."""
    place: int = 1
    """Which of them, from 1, where the word comes more than once."""


@dataclass(frozen=True)
class Chip:
    """A word to click that is no part of a picture."""

    name: str
    """Of the guess; for `written` it is the word, and so is its text."""
    text: Text


@dataclass(frozen=True)
class Answer:
    """What is computed from the run, and what may be clicked."""

    kind: AnswerKind
    of: Number | Count | Compared | None = None
    over: Literal["keys", "heads"] = "keys"
    word: str = ""
    """For `row_that_writes` the word; over heads the column that is read."""
    source: str = ""
    """For `same` the other text."""
    near: float = 0.0
    """How far from it a right number may be."""
    query: tuple[float, ...] = ()
    key: tuple[float, ...] = ()
    """Two lists of numbers that are multiplied by hand."""
    numbers: tuple[float, ...] = ()
    """Two scores, or two places counted from 0."""
    tensor: str = ""
    """By its name in the trace."""
    samples: int = 10
    temperature: float = 1.0
    checkpoints: tuple[str, ...] = ()
    chips: tuple[Chip, ...] = ()


@dataclass(frozen=True)
class Step:
    """One screen of a lesson."""

    kind: StepKind
    page: Page
    source: str
    prompt: Text
    see: See | None = None
    target: str = ""
    checkpoint: str = ""
    """Empty for that of the lesson."""
    edits: tuple[str, ...] = ()
    query: Mapping[str, str] = field(default_factory=dict)
    cover: tuple[Cover, ...] = ()
    answer: Answer | None = None
    """None in a step that shows."""
    wrong: Mapping[str, Text] = field(default_factory=dict)
    """What to say to a wrong answer: by the word, the chip, the depth, or "low" and "high"."""
    hints: tuple[Text, ...] = ()
    """Two where something is asked, the choices halved and the rule; none else."""
    why: Text = NO_TEXT


@dataclass(frozen=True)
class Lesson:
    """A lesson as its file says it."""

    id: str
    """The stem of the file's name."""
    title: Text
    goal: Text
    checkpoint: str
    steps: tuple[Step, ...]
    path: int = 0
    """Place in the list, from 1; 0 for one that stands after those. 1 to 4 make the short path."""
    minutes: int = 5
