"""Reading: every tree that a grammar has for a row of words, the sensible ones first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sample_data.grammar.features import Slot, Slots, Values
from sample_data.grammar.grammar import Grammar
from sample_data.grammar.lexicon import Entry
from sample_data.grammar.notation import NO, Pattern, Rule
from sample_data.grammar.trees import (
    Leaf,
    Node,
    Tree,
    Word,
    count_units,
    leaves,
    rules_of,
    settle_absent,
    slots_of,
    variables,
)

_LONGEST = 40
"""The largest number of words of a text that is read."""
_MOST_EDGES = 20_000
"""The number of phrases in one text at which reading stops."""

_Known = dict[str, Values]


@dataclass(frozen=True, eq=False, slots=True)
class _Edge:
    """A phrase that was found, and its end."""

    end: int
    features: Mapping[str, Values]
    """The features known from the words alone."""
    source: "Rule | Entry | str"
    parts: tuple["_Edge", ...] = ()


@dataclass(frozen=True, eq=False)
class Reading:
    """One way to read a text."""

    tree: Tree
    clashes: int
    """The number of places at which words do not fit together, as a table that eats."""

    @cached_property
    def order(self) -> tuple[int, int, int, int]:
        """The key by which readings are ordered: sense, preferences of rules, longest words."""
        by_rules = sum(rule.preference for rule in rules_of(self.tree))
        by_words = sum(leaf.entry.preference for leaf in leaves(self.tree))
        return self.clashes, -by_rules, count_units(self.tree), -by_words


class _TooManyError(Exception):
    """A text has more phrases than any meant sentence."""


def read(grammar: Grammar, category: str, words: Sequence[str]) -> list[Reading]:
    """Return the readings of all the words as one phrase, the most likely first.

    A text of more than 40 words, or with more than 20,000 phrases, is not read.
    """
    if len(words) > _LONGEST:
        return []
    try:
        edges = _Chart(grammar, words).find(category, 0)
    except _TooManyError:
        return []
    readings = [_settle(grammar, edge) for edge in edges if edge.end == len(words)]
    return sorted((r for r in readings if r is not None), key=lambda reading: reading.order)


class _Chart:
    """The phrases found so far; each is looked for once at each place."""

    def __init__(self, grammar: Grammar, words: Sequence[str]) -> None:
        self._grammar = grammar
        self._words = words
        self._found: dict[tuple[str, int], list[_Edge]] = {}
        self._count = 0

    def find(self, category: str, start: int) -> list[_Edge]:
        """Find every phrase of a category that begins at a place."""
        key = (category, start)
        if key not in self._found:
            found: list[_Edge] = []
            for edge in self._look(category, start):
                found.append(edge)
                self._count += 1
                if self._count > _MOST_EDGES:
                    raise _TooManyError
            self._found[key] = found
        return self._found[key]

    def _look(self, category: str, start: int) -> Iterator[_Edge]:
        for entry in self._grammar.starting(category, self._words, start):
            yield _Edge(start + len(entry.english), entry.features, entry)
        following = self._words[start] if start < len(self._words) else None
        for rule in self._grammar.rules.get(category, ()):
            first = self._grammar.first_of(rule)
            if following in first or None in first:
                absent = dict.fromkeys(rule.absent, NO)
                for end, parts, known in self._match(rule, 0, start, absent):
                    yield _Edge(end, _of_phrase(rule.pattern, known), rule, parts)

    def _match(
        self, rule: Rule, index: int, start: int, known: _Known
    ) -> Iterator[tuple[int, tuple[_Edge, ...], _Known]]:
        """Find the parts of a rule from the one with this index on."""
        if index == len(rule.parts):
            yield start, (), known
            return
        part = rule.parts[index]
        if part.category is None:
            if start < len(self._words) and self._words[start] == part.name:
                word = _Edge(start + 1, {}, part.name)
                for end, parts, all_known in self._match(rule, index + 1, start + 1, known):
                    yield end, (word, *parts), all_known
            return
        for edge in self.find(part.category, start):
            now = self._joined(part.pattern, edge.features, known)
            if now is not None:
                for end, parts, all_known in self._match(rule, index + 1, edge.end, now):
                    yield end, (edge, *parts), all_known

    def _joined(
        self, pattern: Pattern, features: Mapping[str, Values], known: _Known
    ) -> _Known | None:
        """Add a part's features to the rule's variables; None if it contradicts them."""
        new = known
        for name, term in pattern.items():
            values = features.get(name)
            if values is None or name in self._grammar.soft:
                continue
            allowed = term.values or new.get(term.variable)
            left = values if allowed is None else values & allowed
            if not left:
                return None
            if term.variable and left != allowed:
                new = {**new, term.variable: left}
        return new


def _of_phrase(pattern: Pattern, known: _Known) -> dict[str, Values]:
    found = {name: term.values or known.get(term.variable) for name, term in pattern.items()}
    return {name: values for name, values in found.items() if values is not None}


def _settle(grammar: Grammar, edge: _Edge) -> Reading | None:
    """Make the tree with all constraints between its parts; None if they contradict each other."""
    clashes = [0]

    def agree(slots: Slots, asked: Slots) -> bool:
        for name, slot in slots.items():
            if name in asked and not slot.equal(asked[name]):
                if name not in grammar.soft:
                    return False
                clashes[0] += 1
        return True

    def make(edge: _Edge, asked: Slots) -> Tree | None:
        if isinstance(edge.source, str):
            return Word(edge.source)
        if isinstance(edge.source, Entry):
            slots = {name: Slot(values) for name, values in edge.source.features.items()}
            return Leaf(edge.source, {**asked, **slots}) if agree(slots, asked) else None
        rule = edge.source
        held = variables(rule)
        if not agree(slots_of(rule.pattern, held), asked):
            return None
        settle_absent(rule, held)
        parts: dict[int, Tree] = {}
        for index in rule.order:
            part, below = rule.parts[index], edge.parts[index]
            tree = make(below, slots_of(part.pattern, held))
            if tree is None:
                return None
            parts[index] = tree
        return Node(rule, tuple(parts[index] for index in range(len(rule.parts))))

    tree = make(edge, {})
    return None if tree is None else Reading(tree, clashes[0])
