"""Random sentences of a grammar."""

import random
from collections.abc import Callable, Mapping
from itertools import accumulate

from sample_data.grammar.features import Slot, Slots, Values
from sample_data.grammar.grammar import Grammar
from sample_data.grammar.lexicon import Entry
from sample_data.grammar.notation import Rule
from sample_data.grammar.trees import Leaf, Node, Tree, Word, settle_absent, slots_of, variables

_Known = tuple[tuple[str, Values], ...]
"""The features of a phrase that are known before the draw."""


class _DeadEndError(Exception):
    """The choices so far leave no word for a place."""


def as_said(drawn: Rule | Entry) -> float:
    """Weigh what may be drawn by its frequency."""
    return drawn.weight


class Drawing:
    """Draws trees; for speed, it remembers the possible words of each place.

    Words and rules are drawn by their weights, or by `weigh`; those of weight 0 never are.
    """

    def __init__(
        self, grammar: Grammar, *, weigh: Callable[[Rule | Entry], float] = as_said
    ) -> None:
        self._grammar = grammar
        self._weigh = weigh
        self._named = {
            category: frozenset(name for entry in entries for name in entry.features)
            for category, entries in grammar.entries.items()
        }
        self._entries: dict[tuple[str, _Known], tuple[list[Entry], list[float]]] = {}
        self._rules: dict[tuple[str, _Known], tuple[list[Rule], list[float]]] = {}

    def draw(self, category: str, rng: random.Random) -> Tree:
        """Draw a phrase whose words fit together."""
        while True:
            try:
                return self._phrase(category, {}, rng)
            except _DeadEndError:
                continue

    def _phrase(self, category: str, asked: Slots, rng: random.Random) -> Tree:
        if category in self._grammar.entries:
            return self._word(category, asked, rng)
        rules, weights = self._fitting_rules(category, _known(asked))
        if not rules:
            raise _DeadEndError
        (rule,) = rng.choices(rules, cum_weights=weights)
        held = variables(rule)
        _agree(slots_of(rule.pattern, held), asked)
        settle_absent(rule, held)
        for guess in rule.guesses:
            self._phrase(guess.category or "", slots_of(guess.pattern, held), rng)
        parts: dict[int, Tree] = {}
        for index in rule.order:
            part = rule.parts[index]
            if part.category is None:
                parts[index] = Word(part.name)
            else:
                parts[index] = self._phrase(part.category, slots_of(part.pattern, held), rng)
        return Node(rule, tuple(parts[index] for index in range(len(rule.parts))))

    def _word(self, category: str, asked: Slots, rng: random.Random) -> Leaf:
        named = self._named[category]
        about = {name: slot for name, slot in asked.items() if name in named}
        entries, weights = self._fitting_entries(category, _known(about))
        if not entries:
            raise _DeadEndError
        (entry,) = rng.choices(entries, cum_weights=weights)
        slots = {name: Slot(values) for name, values in entry.features.items()}
        _agree(slots, asked)
        return Leaf(entry, {**asked, **slots})

    def _fitting_entries(self, category: str, known: _Known) -> tuple[list[Entry], list[float]]:
        key = (category, known)
        if key not in self._entries:
            entries = self._grammar.entries[category]
            fitting = [e for e in entries if e.weight > 0 and _fits(e.features, known)]
            self._entries[key] = fitting, list(accumulate(map(self._weigh, fitting)))
        return self._entries[key]

    def _fitting_rules(self, category: str, known: _Known) -> tuple[list[Rule], list[float]]:
        key = (category, known)
        if key not in self._rules:
            fitting = [
                rule
                for rule in self._grammar.rules[category]
                if rule.weight > 0
                and _fits({n: t.values for n, t in rule.pattern.items() if t.values}, known)
            ]
            self._rules[key] = fitting, list(accumulate(map(self._weigh, fitting)))
        return self._rules[key]


def _known(asked: Slots) -> _Known:
    return tuple((name, values) for name, slot in asked.items() if (values := slot.values))


def _fits(features: Mapping[str, Values], known: _Known) -> bool:
    return all(name not in features or features[name] & values for name, values in known)


def _agree(slots: Slots, asked: Slots) -> None:
    for name, slot in slots.items():
        if name in asked and not slot.equal(asked[name]):
            raise _DeadEndError
