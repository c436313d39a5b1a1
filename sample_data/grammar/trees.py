"""Sentences as trees of rules and words, and their words in both languages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sample_data.grammar.features import Slot, Slots
from sample_data.grammar.lexicon import Entry, French, Said
from sample_data.grammar.notation import NO, Pattern, Piece, Rule


@dataclass(frozen=True, eq=False, slots=True)
class English:
    """One English word of one sentence: two with the same text are two words."""

    text: str


@dataclass(frozen=True, slots=True)
class Translated:
    """One French word and the English words it translates."""

    word: French
    of: tuple[English, ...]


@dataclass(frozen=True, eq=False)
class Leaf:
    """A word of the lexicon in its place."""

    entry: Entry
    slots: Slots

    @cached_property
    def english(self) -> tuple[English, ...]:
        """Its English words."""
        return tuple(English(text) for text in self.entry.english)

    def french(self, field: str) -> list[Translated]:
        """Return one field of it."""
        return [Translated(word, self._of(word)) for word in self._said.get(field, ())]

    def _of(self, word: French) -> tuple[English, ...]:
        return self.english if word.of is None else tuple(self.english[i] for i in word.of)

    @cached_property
    def _said(self) -> Said:
        return self.entry.french({name: slot.value for name, slot in self.slots.items()})


@dataclass(frozen=True, eq=False)
class Word:
    """A word written in a rule."""

    text: str

    @cached_property
    def english(self) -> tuple[English, ...]:
        """The word."""
        return (English(self.text),)

    def french(self, _field: str) -> list[Translated]:
        """Return nothing, because the rule has the French."""
        return []


@dataclass(frozen=True, eq=False)
class Node:
    """A phrase, by the rule that made it."""

    rule: Rule
    parts: tuple["Tree", ...]

    @cached_property
    def english(self) -> tuple[English, ...]:
        """Its English words."""
        return tuple(word for part in self.parts for word in part.english)

    def french(self, field: str) -> list[Translated]:
        """Return one field of it."""
        return [word for piece in self.rule.french.get(field, ()) for word in self._say(piece)]

    def _say(self, piece: Piece) -> Iterator[Translated]:
        if piece.only_with and not self._said_by(piece.only_with, ""):
            return
        sources = tuple(
            word for name in piece.sources if (part := self._part(name)) for word in part.english
        )
        if piece.word is not None:
            yield Translated(French(piece.word), sources)
        else:
            for said in self._said_by(piece.part, piece.field):
                own = said.of if piece.beside or not sources else ()
                yield Translated(said.word, (*own, *sources))

    def _said_by(self, name: str, field: str) -> list[Translated]:
        part = self._part(name)
        return part.french(field) if part else []

    def _part(self, name: str) -> "Tree | None":
        for part, tree in zip(self.rule.parts, self.parts, strict=True):
            if part.name == name:
                return tree
        return None


Tree = Node | Leaf | Word


def variables(rule: Rule) -> dict[str, Slot]:
    """Make the slots of a rule's variables."""
    names = {term.variable for term in rule.pattern.values() if term.variable}
    for part in (*rule.guesses, *rule.parts):
        names |= {term.variable for term in part.pattern.values() if term.variable}
    return {name: Slot() for name in names | rule.absent}


def slots_of(pattern: Pattern, held: Mapping[str, Slot]) -> dict[str, Slot]:
    """Return the slot of each feature of a pattern: the variable's, or one with its values."""
    return {
        name: held[term.variable] if term.variable else Slot(term.values)
        for name, term in pattern.items()
    }


def settle_absent(rule: Rule, held: Mapping[str, Slot]) -> None:
    """Settle the variables of absent parts if the context has not."""
    for name in rule.absent:
        if held[name].values is None:
            held[name].narrow(NO)


def leaves(tree: Tree) -> Iterator[Leaf]:
    """Yield the words of the lexicon, in English order."""
    if isinstance(tree, Leaf):
        yield tree
    elif isinstance(tree, Node):
        for part in tree.parts:
            yield from leaves(part)


def count_units(tree: Tree) -> int:
    """Count the entries and words of a tree; an entry of several words is one."""
    if isinstance(tree, Node):
        return sum(count_units(part) for part in tree.parts)
    return 1 if tree.english else 0


def rules_of(tree: Tree) -> Iterator[Rule]:
    """Yield the rules of a tree, the outermost first."""
    if isinstance(tree, Node):
        yield tree.rule
        for part in tree.parts:
            yield from rules_of(part)


def words(trees: Sequence[English]) -> list[str]:
    """Spell out English words."""
    return [word.text for word in trees]
