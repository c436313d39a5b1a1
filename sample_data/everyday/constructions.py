"""The constructions of sentences, by which scores are reported."""

from sample_data.everyday.language import trees_of
from sample_data.grammar.trees import Tree, leaves, rules_of

_SIGNS = (
    # if a sentence has several, the first one names it
    ("it, which the meaning resolves", "Resolved"),
    ("greetings and short answers", "Phrase AskingPhrase Answer Thanks Called"),
    ("relative clauses", "RelativeWord Gap"),
    ("two clauses", "Link Linked Fond Feeling Whenever If Opinion"),
    ("orders", "Order"),
    ("comparisons", "Comparison Superlative Comparative AsThat"),
    ("questions with a question word", "AskingAdverb Gapped Quel WhQuestion"),
    ("yes or no questions", "Question"),
    ("there is", "Offered"),
    ("this is, it is", "Shown These Third"),
    ("can, must, want to", "Modal Would Catenative"),
    ("object pronouns", "ObjectPronoun"),
    ("time and weather", "Clock Day Sky"),
    ("being", "Being"),
)
_TENSES = (
    ("future", "future"),
    ("past", "past"),
    ("past", "imperfect"),
    ("past", "habit"),
    ("present", "present"),
)


def constructions() -> tuple[str, ...]:
    """Return all names, in the order in which a table lists them."""
    names = [name for name, _ in _SIGNS]
    return (*names, *dict.fromkeys(name for name, _ in _TENSES), "noun phrases")


def construction(source: str) -> str | None:
    """Name the construction of a sentence; None if the grammar does not read it."""
    trees = trees_of(source)
    return _name(trees[0]) if trees else None


def _name(tree: Tree) -> str:
    found = {rule.category for rule in rules_of(tree)} | {x.entry.category for x in leaves(tree)}
    for name, categories in _SIGNS:
        if found & set(categories.split()):
            return name
    tenses = {slot.value for leaf in leaves(tree) if (slot := leaf.slots.get("tense"))}
    if any(leaf.slots["be"].value == "aller" for leaf in leaves(tree) if "be" in leaf.slots):
        tenses.add("future")  # "is going to"
    usual = "present" if "Clause" in found else "noun phrases"
    return next((name for name, tense in _TENSES if tense in tenses), usual)
