"""The form of a lesson: its steps, the question of each, its page, and the closed lists of names.

A lesson is one TOML file, NAME.toml; `sample_data/lessons/which-word.toml` is a good example:

    path = 1                              # place in the list; 1 to 4 are the ten-minute path
    minutes = 3
    checkpoint = "everyday-paper-0"
    title = { en = "...", fr = "..." }    # every text in both languages, at most 40 words
    goal = { en = "...", fr = "..." }     # the skill that the lesson teaches

    [[step]]
    kind = "ask"                          # show, ask, vary or check
    page = "attention"
    source = "the small black cat ."
    see = { kind = "cross-attention", head = "best at content words", writes = "noir" }
    edits = ["zero!(best at content words).heads"]    # see `edits.py`
    query = { lines = "60" }              # the page's own parameters
    cover = ["row", "words"]              # hidden until the answer
    prompt = { en = "...", fr = "..." }
    answer = { kind = "largest" }
    wrong.see = { en = "...", fr = "..." }            # by the option, or low and high
    hints = [{ en = "...", fr = "..." }, { en = "...", fr = "..." }]
    why = { en = "...", fr = "..." }      # shown after the answer

A lesson names no head by number and contains no answer: Loupe finds both in the checkpoint's run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, Self

from texts import LANGUAGES, Language
from viz.run.axes import AttentionKind

StepKind = Literal["show", "ask", "vary", "check"]
"""Asks nothing; asks for the first time; asks again with something changed; asks at the end."""

HeadName = Literal[
    "best at content words",
    "best at all tokens",
    "best at negations",
    "best at referents of it",
    "best at nouns of determiners and adjectives",
    "best at the token before",
    "best at what followed copies",
]
"""A head, by the job that it does best among all heads of its attention: see `places.find_head`.
The last name is for a model of one text."""

Cover = Literal["row", "picture", "labels", "thumbnails", "words", "translation", "numbers"]
"""What stays hidden until the answer: the weights of the row; the weights of the whole head; the
names of the rows; everything but the pictures that tells heads apart (titles, roles, order, the
mark of the head in view); the words written from the row on; all written words; every table, card,
measure and effect of an edit that would give the answer away."""

AnswerKind = Literal[
    "largest", "row_that_writes", "written", "same", "number", "count", "order", "depth", "choice"
]
"""The question, and so the options to click.

largest          the key that the row reads most; with `over = "heads"`, the head in which the row
                 reads the column `word` most
row_that_writes  the row of the decoder that writes `word`; rows are named by the token they read
written          the token that the model writes with the edits where the row of `see` is without
                 them; three `words` to choose from
same             whether the text is the same as that of `source`, with the same edits
number           a number, `of`, from the run or the step's own numbers; right within `near`
count            a count, `of`, from the run; right within `near`
order            three `checkpoints`, from the fewest steps of training to the most
depth            the first depth of the decoder at which the row's word is the most probable
choice           whether a number, `of`, is less, the same or more with the edits of the step than
                 without them; three `chips` with these names
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
the row in question of `tensor`."""
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
"""The pages that a lesson may open, and the parameters of each link that it may set."""

MOST_WORDS = 40
"""Words of one text in one language."""
MOST_STEPS = 12
LEAST_MARGIN = 0.2
"""The least lead of the largest weight over the next: a question with a smaller lead is refused."""


@dataclass(frozen=True)
class Text:
    """One text in each language: plain text, shown as it is."""

    by_language: Mapping[Language, str]

    def said(self, language: Language) -> str:
        """Return the text in a language; in English if it is not translated."""
        return self.by_language.get(language) or self.by_language[LANGUAGES[0]]

    @classmethod
    def same(cls, text: str) -> Self:
        """Return a text that is the same in all languages."""
        return cls(dict.fromkeys(LANGUAGES, text))


NO_TEXT = Text.same("")


@dataclass(frozen=True)
class See:
    """The part of the run that a step looks at, by role."""

    kind: AttentionKind
    head: HeadName | None = None
    """None if no head is in view."""
    writes: str = ""
    """The row that writes this token; in a decoder."""
    reads: str = ""
    """The row that reads this token; in the encoder, or the last written token in a decoder."""
    place: int = 1
    """Which of them, from 1, if the word occurs more than once."""


@dataclass(frozen=True)
class Chip:
    """A word to click outside the pictures."""

    name: str
    """Its name in a guess; for `written` the word itself, which is also its text."""
    text: Text


@dataclass(frozen=True)
class Answer:
    """The kind of number or option to compute from the run."""

    kind: AnswerKind
    of: Number | Count | Compared | None = None
    over: Literal["keys", "heads"] = "keys"
    word: str = ""
    """The written word for `row_that_writes`; the column that is read for `largest` over heads."""
    source: str = ""
    """The text to compare with, for `same`."""
    near: float = 0.0
    """The largest difference of a right number."""
    query: tuple[float, ...] = ()
    key: tuple[float, ...] = ()
    """Two vectors to multiply by hand."""
    numbers: tuple[float, ...] = ()
    """Two scores, or two places counted from 0."""
    tensor: str = ""
    """Its name in the trace."""
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
    """Empty for the lesson's own checkpoint."""
    edits: tuple[str, ...] = ()
    query: Mapping[str, str] = field(default_factory=dict)
    cover: tuple[Cover, ...] = ()
    answer: Answer | None = None
    """None in a step that asks nothing."""
    wrong: Mapping[str, Text] = field(default_factory=dict)
    """Replies to wrong answers, by the word, the chip or the depth, or by "low" and "high"."""
    hints: tuple[Text, ...] = ()
    """Two in a step that asks: the first halves the options, the second states the rule."""
    why: Text = NO_TEXT


@dataclass(frozen=True)
class Lesson:
    """A lesson as it is written in its file."""

    id: str
    """The name of the file without its ending."""
    title: Text
    goal: Text
    checkpoint: str
    steps: tuple[Step, ...]
    path: int = 0
    """Place in the list, from 1; 0 puts it after the others. 1 to 4 are the short path."""
    minutes: int = 5
