"""A grammar: rules over a lexicon, indexed for drawing and for reading."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from sample_data.grammar.lexicon import Entry
from sample_data.grammar.notation import Rule, read_rules


class Grammar:
    """Rules and words. Raises ValueError if a rule names something undefined."""

    def __init__(self, rules: str, entries: Iterable[Entry], *, soft: Iterable[str] = ()) -> None:
        """Read the rules.

        Args:
            rules: The rules in the notation of `notation`.
            entries: The lexicon.
            soft: Features that say which words fit together rather than which are correct. Drawn
                sentences obey them, and readings that do are preferred.
        """
        self.soft = frozenset(soft)
        self.rules: dict[str, list[Rule]] = defaultdict(list)
        self.entries: dict[str, list[Entry]] = defaultdict(list)
        for rule in read_rules(rules):
            self.rules[rule.category].append(rule)
        for entry in entries:
            self.entries[entry.category].append(entry)
        self._check()

    def _check(self) -> None:
        known = self.rules.keys() | self.entries.keys()
        for rule in (rule for rules in self.rules.values() for rule in rules):
            for part in (*rule.guesses, *rule.parts):
                if part.category is not None and part.category not in known:
                    raise ValueError(f"there is no {part.category}: {rule.text!r}")
        if both := self.rules.keys() & self.entries.keys():
            raise ValueError(f"a category has rules or words, not both: {', '.join(sorted(both))}")
        for category in self.rules:
            self._check_left(category, ())

    def _check_left(self, category: str, above: tuple[str, ...]) -> None:
        """Check that no phrase begins with itself, because reading goes from left to right."""
        if category in above:
            raise ValueError(f"a phrase begins with itself: {' > '.join((*above, category))}")
        for rule in self.rules.get(category, ()):
            for part in rule.parts:
                if part.category is not None:
                    self._check_left(part.category, (*above, category))
                if part.category is None or not self.may_be_empty(part.category):
                    break

    def may_be_empty(self, category: str) -> bool:
        """Return whether a phrase can have no English word."""
        return None in self.first_words(category)

    def first_words(self, category: str) -> frozenset[str | None]:
        """Return the words that a phrase can begin with; None if it may have none."""
        if category not in self._first:
            self._first[category] = frozenset(self._find_first(category))
        return self._first[category]

    @cached_property
    def _first(self) -> dict[str, frozenset[str | None]]:
        return {}

    def _find_first(self, category: str) -> Iterable[str | None]:
        for entry in self.entries.get(category, ()):
            yield entry.english[0] if entry.english else None
        for rule in self.rules.get(category, ()):
            yield from self.first_of(rule)

    def first_of(self, rule: Rule) -> frozenset[str | None]:
        """Return the words that a rule's phrase can begin with."""
        if rule not in self._first_of:
            found: set[str | None] = set()
            for part in rule.parts:
                if part.category is None:
                    found.add(part.name)
                    break
                words = self.first_words(part.category)
                found |= words - {None}
                if None not in words:
                    break
            else:
                found.add(None)
            self._first_of[rule] = frozenset(found)
        return self._first_of[rule]

    @cached_property
    def _first_of(self) -> dict[Rule, frozenset[str | None]]:
        return {}

    def starting(self, category: str, words: Sequence[str], start: int) -> list[Entry]:
        """Return the entries of a category whose English words begin at a place."""
        at_word = self._by_word.get((category, words[start]), ()) if start < len(words) else ()
        return [
            *(e for e in at_word if tuple(words[start : start + len(e.english)]) == e.english),
            *self._by_word.get((category, ""), ()),
        ]

    @cached_property
    def _by_word(self) -> dict[tuple[str, str], list[Entry]]:
        """Index entries by category and first word; "" for those without a word."""
        found: dict[tuple[str, str], list[Entry]] = defaultdict(list)
        for category, entries in self.entries.items():
            for entry in entries:
                found[category, entry.english[0] if entry.english else ""].append(entry)
        return found
