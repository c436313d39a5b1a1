"""The notation of rules, read into records.

    20 NP[agr gen] -> Det[agr gen] Pre:Adj?30[gen place=before] *Noun[agr gen] = Det Pre Noun

reads: a phrase NP is a determiner, in 30 of 100 draws an adjective, and a noun; French says them in
the order that follows "=". The number before a rule is its weight beside other rules for the same
phrase; each "!" behind it makes reading prefer it where others fit too, each "~" avoid it. What
begins with a capital is a category, all else a word of English.

- `[agr]` is a variable, and the same one wherever it stands in the rule; `[place=before]` a value,
  `[neg=yes|ask]` one of two, `[kind=$obj]` the variable `obj` for the feature `kind`.
- `Name:` names a part, where its category is not enough. `*` marks the part that is drawn first.
- `!Part` is drawn before the others, to settle its features, and is no part of the sentence.
- `?30` marks a part that may be absent; its variables with a `!` (`[neg!]`) are "no" then.
- `= A B.field 'mot'@there C@Verb D@+Verb E~F ; field = G` is the French. `A.field` is a field of a
  part; a word in quotes is French; `@` says which parts it translates (joined by `+`), in place of
  what a part would say itself, `@+` beside it. `E~F` is E where F says something. `; field =`
  begins another field.
- A line that is indented goes on with the rule above; `#` begins a comment.
- `let $name = text` stands for its text in the rules that follow.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from sample_data.grammar.features import Values

NO = frozenset({"no"})
_PART = re.compile(r"([*!]?)(?:([A-Z]\w*):)?([A-Z]\w*)(?:\?(\d+))?(?:\[([^\]]*)\])?")
_HEAD = re.compile(r"(?:([\d.]+)([!~]*)\s+)?([A-Z]\w*)(?:\[([^\]]*)\])?")
_WRITTEN = re.compile(r"[^\s\[]+(?:\[[^\]]*\])?")
_SAID = re.compile(r"(?:'(\S+?)'(?=@)|([A-Z]\w*)(?:\.(\w+))?)(?:@(\+?)([^\s~]+))?(?:~([A-Z]\w*))?")


@dataclass(frozen=True, slots=True)
class Term:
    """What a rule asks of a feature: values, or the variable that holds them."""

    values: Values | None
    variable: str = ""
    default: bool = False
    """Whether the variable is "no" where its part is absent."""


Pattern = Mapping[str, Term]


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """One part of a phrase: a category with features, or a word of English."""

    name: str
    category: str | None
    """None for a word: its name is the word."""
    pattern: Pattern
    head: bool
    chance: float | None
    """Of being there, for a part that may be absent."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing that French says: a field of a part, or a word."""

    word: str | None
    part: str
    field: str
    sources: tuple[str, ...]
    """The parts whose English it translates, if not its own."""
    beside: bool
    """Whether it translates its own English too."""
    only_with: str
    """The part without which it is not said; empty for none."""


@dataclass(frozen=True, eq=False, slots=True)
class Rule:
    """One way to make a phrase."""

    category: str
    pattern: Pattern
    parts: tuple[Part, ...]
    guesses: tuple[Part, ...]
    """What is drawn before the parts, only to settle features."""
    absent: frozenset[str]
    """Variables that are "no" because their parts are left out."""
    french: Mapping[str, tuple[Piece, ...]]
    weight: float
    preference: int
    text: str
    """As written, to name it in errors."""

    @property
    def order(self) -> list[int]:
        """The order in which the parts are drawn: what is marked first, then as they stand."""
        return sorted(range(len(self.parts)), key=lambda i: not self.parts[i].head)


def read_rules(text: str) -> list[Rule]:
    """Read the rules of a grammar, each once for every choice of parts that may be absent.

    Raises ValueError that names the rule which is ill-written.
    """
    return [rule for line in _lines(text) for rule in _read_rule(line)]


def _lines(text: str) -> Iterator[str]:
    """Join the lines of a rule, and put in what stands for a text."""
    texts: dict[str, str] = {}
    joined: list[str] = []
    for line in text.splitlines():
        bare = re.sub(r"(^|\s)#.*", "", line).rstrip()
        if not bare:
            continue
        if bare[0].isspace() and joined:
            joined[-1] += f" {bare.strip()}"
        else:
            joined.append(bare.strip())
    for line in joined:
        full = re.sub(r"\$([A-Z]\w*)", lambda match: texts[match[1]], line)
        if declared := re.fullmatch(r"let ([A-Z]\w*) = (.*)", full):
            texts[declared[1]] = declared[2]
        else:
            yield full


def _read_rule(line: str) -> Iterator[Rule]:
    left, arrow, right = line.partition(" ->")
    english, equals, french = f"{right} ".partition(" = ")
    head = _HEAD.fullmatch(left.strip())
    if not (arrow and equals and head):
        raise ValueError(f"a rule must be 'Phrase -> parts = French', got {line!r}")
    weight, marks, category, features = head.groups()
    written = _WRITTEN.findall(english)
    guesses = tuple(_read_part(text, line) for text in written if _is_guess(text))
    parts = tuple(_read_part(text, line) for text in written if not _is_guess(text))
    said = dict(_read_french(french, line))
    _check_names(line, parts, said)
    for there in product(*[(True, False) if p.chance is not None else (True,) for p in parts]):
        kept = tuple(part for part, stays in zip(parts, there, strict=True) if stays)
        gone = [part for part, stays in zip(parts, there, strict=True) if not stays]
        chance = 1.0
        for part, stays in zip(parts, there, strict=True):
            if part.chance is not None:
                chance *= part.chance if stays else 1 - part.chance
        yield Rule(
            category=category,
            pattern=_read_features(features, line),
            parts=kept,
            guesses=guesses,
            absent=frozenset(t.variable for p in gone for t in p.pattern.values() if t.default),
            french=said,
            weight=float(weight or 1) * chance,
            preference=(marks or "").count("!") - (marks or "").count("~"),
            text=line,
        )


def _is_guess(text: str) -> bool:
    return text.startswith("!") and len(text) > 1


def _read_part(text: str, line: str) -> Part:
    if not text.lstrip("*!")[:1].isupper():
        return Part(text, None, {}, head=False, chance=None)
    match = _PART.fullmatch(text)
    if match is None:
        raise ValueError(
            f"a part must be '*Name:Category?percent[features]', got {text!r} in {line!r}"
        )
    mark, name, category, percent, features = match.groups()
    return Part(
        name or category,
        category,
        _read_features(features, line),
        head=mark == "*",
        chance=int(percent) / 100 if percent else None,
    )


def _read_features(text: str | None, line: str) -> dict[str, Term]:
    found: dict[str, Term] = {}
    for feature in (text or "").split():
        name, equals, value = feature.partition("=")
        if name in found:
            raise ValueError(f"the feature {name!r} occurs twice in {line!r}")
        if value.startswith("$") or not equals:
            variable = (value.removeprefix("$") or name).removesuffix("!")
            found[name.removesuffix("!")] = Term(None, variable, default=feature.endswith("!"))
        else:
            found[name] = Term(frozenset(value.split("|")))
    return found


def _read_french(text: str, line: str) -> Iterator[tuple[str, tuple[Piece, ...]]]:
    main, *fields = re.split(r"(?:^|\s);\s", text)
    yield "", tuple(_read_piece(piece, line) for piece in main.split())
    for field in fields:
        name, _, said = field.partition(" =")
        yield name.strip(), tuple(_read_piece(piece, line) for piece in said.split())


def _read_piece(text: str, line: str) -> Piece:
    match = _SAID.fullmatch(text)
    if match is None or (match[1] and not match[5]):
        raise ValueError(
            f"French must be 'Part.field' or a quoted word with @, got {text!r} in {line!r}"
        )
    word, part, field, beside, sources, only_with = match.groups()
    return Piece(
        word=word,
        part=part or "",
        field=field or "",
        sources=tuple(sources.split("+")) if sources else (),
        beside=bool(beside),
        only_with=only_with or "",
    )


def _check_names(
    line: str, parts: tuple[Part, ...], french: Mapping[str, tuple[Piece, ...]]
) -> None:
    names = [part.name for part in parts]
    if twice := {name for name in names if names.count(name) > 1 and name[0].isupper()}:
        raise ValueError(f"two parts are named {', '.join(sorted(twice))} in {line!r}")
    for piece in (piece for pieces in french.values() for piece in pieces):
        used = {piece.part, piece.only_with, *piece.sources} - {""}
        if unknown := used - set(names):
            raise ValueError(f"no part is named {', '.join(sorted(unknown))} in {line!r}")
