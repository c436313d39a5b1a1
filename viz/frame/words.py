"""What the sidebar, the sentence bar and the messages say."""

from collections.abc import Sequence

from model.stand_ins import StandIns
from model.text import MAX_CHARACTERS
from sample_data.one_text.tasks import any_task
from viz.pictures.numbers import number_text, percent_text

KEYS = (
    ("← → ↑ ↓", "move the selected cell: ↑ and ↓ change the query, ← and → the key"),
    ("← → Home End", "on the Decoding page: previous, next, first and last step"),
    ("Space", "on the Decoding page: play or pause"),
    ("+ − Enter", "on the Touch page: pull the line to the selected key, let it go there"),
    ("x", "on the Touch page: cut the line to the selected key"),
    ("[ ]", "the layer below, the layer above"),
    (", .", "the head before, the head after"),
    ("c", "compare this run with another one"),
    ("p", "pin this run, to compare the next ones with it"),
    ("x", "on the Attention page: switch the selected head off, or on again"),
    ("u, Shift u", "undo a change of the run, do it again; Ctrl Z works too"),
    ("b", "held down: show the run as it was before the changes"),
    ("PageUp PageDown", "in presenter mode: the page before, the page after"),
    ("?", "show this list"),
)
KEYS_TITLE = "Keyboard shortcuts"
KEYS_BUTTON = "Keys"
KEYS_HELP = "Keyboard shortcuts (?)"

PIN, PINNED = "Pin this run", "Pinned"
PINNED_SAID = "Pinned. Run something else, then press c to compare the two."
PIN_HELP = "Keep this run, to compare the next ones with it (p); c opens the comparison"

CHECKPOINT = "Model"
CHECKPOINT_NAME = "Name of the checkpoint"
VARIANT_TITLES = {
    "paper": "The paper",
    "addnorm": "Write-up with sines only",
    "temperature": "Write-up without biases in attention",
    "prenorm": "Write-up with the norm first",
    "headlist": "Write-up without a causal mask",
    "tied": "Write-up without a padding mask in the encoder",
}
"""What each variant is called for people, by the difference from the paper that one sees first."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")

READING = "Reading it …"
WROTE_NOTHING = "(the model wrote no words)"
GIVE_TARGET = "Give the target"
EXAMPLES = "Examples"
SOURCE_PLACEHOLDER = "Type and press Enter"
TARGET_PLACEHOLDER = "Leave empty to let the model write"
TARGET_HELP = (
    "A target that you give is fed to the decoder token by token, whatever it would have written "
    "itself (teacher forcing). Each row then shows what the model read at that point, and what it "
    "would have written next."
)
USE_CORRECT_TARGET = "Use the correct target"
LET_MODEL_WRITE = "Let the model write"
DEVICE = "Runs on"
DEVICES = {"cpu": "CPU", "cuda": "CUDA", "mps": "MPS"}
PRESENTER = "Presenter mode"
LEAVE_PRESENTER = "Leave presenter mode"

NO_CHECKPOINT = "There is no trained model here yet"
TRAIN_ONE = "Train one, in a few minutes on a CPU:"
RESTORE_SHIPPED = "Or restore the ones that belong to the repository:"
BROKEN_CHECKPOINT = "This checkpoint cannot be used"
REFUSED_MODEL = "This model cannot be opened"
FIRST_TEXTS = {
    "translates": "The house is small.",
    "writes": "The cat sat on the mat because",
    "reads": "The cat sat on the mat.",
}
"""What a model of others reads at first, by what it does with it."""
UNREADABLE = "The model's own tokenizer failed on it. Other words may work."
NOTHING_TYPED = "Type a sentence"
HOW_TO_BEGIN = "Press Enter to run the model, or start with one of these:"

_LONGEST_IN_TITLE = 40

PART_TITLES = {
    "noun": "Nouns and names",
    "verb": "Verbs",
    "adjective": "Adjectives",
    "adverb": "Adverbs",
    "determiner": "Articles, numbers and the like",
    "pronoun": "Pronouns",
    "preposition": "Prepositions",
    "auxiliary": "Auxiliaries",
    "conjunction": "Conjunctions",
    "negation": "Negation",
    "word": "Other words",
    "punctuation": "Marks",
}


def part_title(part: str | None, word: str) -> str:
    """Head the words of a part of speech; a sign is a mark, whatever it is said to be."""
    if not any(map(str.isalnum, word)):
        return PART_TITLES["punctuation"]
    return PART_TITLES.get(part or "word", PART_TITLES["word"])


def task_title(task: str) -> str:
    """Name a task; one of a text of one's own has no other name."""
    found = any_task(task)
    return found.title if found else task


def checkpoint_title(task: str, what: str, *, seed: int | None, alone: bool) -> str:
    """Name a checkpoint: "The paper, first seed · English to French".

    Args:
        task: Its name.
        what: What is peculiar to the model.
        seed: Its place among those that differ in nothing else; None where there are none.
        alone: Whether the task has no other checkpoint: then its title says it all.
    """
    if alone:
        return task_title(task)
    if seed is not None:
        ordinal = _ORDINALS[seed] if seed < len(_ORDINALS) else f"{seed + 1}th"
        what = f"{what}, {ordinal} seed"
    return f"{what[:1].upper()}{what[1:]} · {task_title(task)}"


def own_title(title: str, step: int | None) -> str:
    """Name a checkpoint that a person kept of their own training."""
    return f"Yours · {title}" + (f", step {step:,}" if step is not None else "")


def held_title(title: str) -> str:
    """Name a model that the process itself holds, which serves the app."""
    return f"Yours · {title}, from Python"


def cannot_know(unknown: Sequence[str], count: int) -> str:
    """Say what a model cannot know, before what it wrote all the same: the words, and how many."""
    named = [f"“{word}”" for word in unknown]
    if more := count - len(unknown):
        named.append(f"{more} more word{'' if more == 1 else 's'}")
    return f"It cannot know {_listed(named)}, so what it wrote may be nonsense:"


def page_title(page: str = "", sentence: str = "") -> str:
    """Name a page and its sentence for the browser's tab."""
    words = " ".join(sentence[: 4 * _LONGEST_IN_TITLE].split())
    if len(words) > _LONGEST_IN_TITLE:
        words = f"{words[: _LONGEST_IN_TITLE - 1].rstrip()}…"
    return " · ".join(part for part in (page, words, "Loupe") if part)


def only_reads(mask: str | None) -> str:
    """Say that a model writes nothing, and how it can be made to guess a word."""
    if mask is None:
        return "This model only reads: nothing is written."
    return f"This model only reads. Type {mask} in place of a word, and it guesses the word."


def guessed(token: str, probability: float) -> str:
    """Say what a model takes a hidden word to be."""
    return f"“{token}” ({percent_text(probability)})"


PROMPT = "Text to go on from"
TEXT = "Text"
GIVE_CONTINUATION = "Give what follows"
CONTINUATION = "What follows the text"
CONTINUATION_HELP = (
    "What you give is fed to the model token by token, whatever it would have written itself. Each "
    "row then shows what it would have written next."
)


def field_label(language: str, side: str) -> str:
    """Head the field of a text: "English source"; of a task of one's own just "Source"."""
    return language if language.lower() == side else f"{language} {side}"


def token_count(count: int, limit: int) -> str:
    """Say how much of what can be run a source takes."""
    return f"The sentence has {count:,} of at most {limit} tokens."


def no_such_checkpoint(asked: str) -> str:
    """Say that a link asks for a checkpoint that is not there."""
    return f"There is no checkpoint {asked}. Another one is shown."


def model_facts(  # noqa: D417 - the others' names say what they are
    title: str,
    *,
    layers: tuple[int, int],
    heads: int,
    parameters: int,
    device: str,
    precision: str | None,
) -> str:
    """Say what runs, how large it is, and on what.

    Args:
        layers: Of the encoder and of the decoder, 0 where there is none.
        precision: Type of its numbers, where it is shorter than float32.
    """
    depth = " + ".join(str(count) for count in layers if count)
    plural = "" if depth == "1" else "s"
    return (
        f"{title}: {depth} layer{plural}, {heads} heads, {parameters:,} parameters, "
        f"on {DEVICES[device]}{in_precision(precision)}."
    )


def in_precision(precision: str | None) -> str:
    """Say in how many digits a model computes, where they are fewer than usual."""
    if precision is None:
        return ""
    digits = {"bfloat16": "about 3", "float16": "about 4"}[precision]
    return f", in {precision}: {digits} digits of every number hold"


def model_scores(right: float, count: int, weakest: tuple[str, float] | None) -> str:
    """Say how often a model is right, and with which sentences it is so least often."""
    said = (
        f"Of {count:,} texts that it never saw, it writes {percent_text(right)} without a mistake"
    )
    if weakest is None or weakest[1] >= right:
        return f"{said}."
    name, share = weakest
    return f"{said}; it is weakest at {name}: {percent_text(share)}."


def page_lacking(title: str) -> str:
    """Say that a page is not for the model in view."""
    return f"{title} has nothing to show of this model"


def none_found(folder: str) -> str:
    """Say where no checkpoint was found."""
    return f"None was found in {folder}."


def broken_checkpoint(error: str) -> str:
    """Say what is wrong with a checkpoint."""
    return f"{error}\nChoose another one in the sidebar."


def unreadable(side: str) -> str:
    """Head the message about a text that the tokenizer fails on."""
    return f"This {side} cannot be read"


def folder_title(name: str, family: str, memory: str) -> str:
    """Name a model of others, and say how large it is before it is loaded."""
    return f"{name} · {family}, {memory}"


def refused_title(name: str) -> str:
    """Name a folder that cannot be opened; why is said where it is chosen."""
    return f"{name} · cannot be opened"


def too_long(side: str) -> str:
    """Head the message about a text that cannot be run."""
    return f"This {side} is too long to run"


def too_many_tokens(count: int, limit: int) -> str:
    """Say how long a text may be, in tokens."""
    return f"It has {count:,} tokens, counting special ones; at most {limit} can be run. {_SHORTEN}"


def too_many_characters(count: int, *, cut: bool) -> str:
    """Say how long a text may be, in characters; `cut` where the field did not hold it all."""
    found = f"It has {'more than ' if cut else ''}{count:,} characters"
    kept = " The field kept those and dropped the rest." if cut else ""
    return f"{found}; at most {MAX_CHARACTERS:,} are read.{kept} {_SHORTEN}"


_SHORTEN = "Shorten it, or start with one of these:"


def unknown_words(side: str, count: int) -> str:
    """Head the offers for words that the model does not know."""
    words = f"1 {side} word is" if count == 1 else f"{count} {side} words are"
    return f"{words} unknown to this model, which reads <unk> instead"


def carried_over(carried: Sequence[tuple[str, str]]) -> str:
    """Say which words the translation takes over, and as what each: ("laptop", "a noun")."""
    if len(carried) == 1:
        [(word, kind)] = carried
        return f"“{word}” was not in the training data, so it is carried over as it is, as {kind}."
    listed = _listed([f"“{word}” ({kind})" for word, kind in carried])
    return f"{listed} were not in the training data, so they are carried over as they are."


def what_is_carried(stand_ins: StandIns) -> str:
    """Say which unknown words a model that has stand-ins can take over, and which it cannot."""
    counts = {
        "unknown noun": len(stand_ins.nouns),
        "name": len(stand_ins.names),
        "number": len(stand_ins.numbers),
        "time": len(stand_ins.times),
    }
    most = [f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts.items() if count]
    can = f"This model carries over up to {_listed(most)} in a text. " if most else ""
    return f"{can}Unknown verbs and adjectives it cannot inflect, so it does not carry them over."


def _listed(parts: Sequence[str]) -> str:
    """Write a list in words: "a, b and c"."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def nothing_similar(count: int, offered: int, known: int) -> str:
    """Say for which of some unknown words nothing can be offered."""
    words = "the others" if offered else "it" if count == 1 else "them"
    return f"Nothing similar to {words} was found among the {known:,} tokens that the model knows."


AS_PYTHON = "As Python"
AS_PYTHON_HELP = "The lines of Python that compute what this page shows"
AS_PYTHON_TITLE = "This page as Python"
AS_PYTHON_NOTE = (
    "Run in the folder of the project, these lines compute the run in view, with its changes. "
    "Those of each card follow them."
)

CHANGES = "Changes of the run"
NOTHING_CHANGED = "No change is in force."
NOT_ON_THIS_PAGE = (
    "This page runs texts of its own with the model as it was: the changes of your run do not act "
    "here."
)
FORGET_WRONG = "Go on without it"
CHANGES_WRONG = "A change could not be made"
LOSS = "loss on the original words"
ENTROPY = "entropy of the choices"


def cannot_change(why: str) -> str:
    """Say why, and what the page shows instead."""
    return (
        f"{why[:1].upper()}{why[1:]}. The run is shown as it was; undo, or change something else."
    )


def what_changes_did(count: int, *, given: bool) -> str:
    """Say how many words came out differently."""
    if given:
        return "The target is given, so the words stay; what the model read and weighed may differ."
    if count == 0:
        return "The words it writes stay the same."
    return f"{count} word{'' if count == 1 else 's'} came out differently."


def nats(value: float) -> str:
    """Write a number of nats."""
    return f"{number_text(value)} nats"


DIALS = "Turn its constants, and see what it writes"
DIALS_NOTE = (
    "Nothing here is trained anew: the same weights run with another constant. What it then writes "
    "is shown at the top of the page, and every picture shows the changed run."
)
SUBLAYERS = "Switch whole sublayers off"
SUBLAYERS_NOTE = (
    "A sublayer that is off adds nothing: what it read is handed on by the residual connection "
    "alone."
)
