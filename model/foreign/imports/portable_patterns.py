"""Decides which regular expressions of a tokenizer.json a browser may run: those of bounded time.

A third-party expression may run for ever on some text, in Oniguruma and in a browser. Loupe allows
one only if its alternatives leave few choices for backtracking, so that the time grows at most with
the square of the text's length. The expression must also mean the same in both engines.
"""

import math
import re
from dataclasses import dataclass

_LONGEST = 2_000
_MOST_CHOICES = 64
"""The largest number of ways to try an alternative at one place, apart from its one unbounded part;
for alternatives with such a part, the limit of their sum over all patterns. One way takes a quarter
of a second for the longest text."""
_MOST_NESTED = 8
_QUANTIFIER = re.compile(r"[*+?]|\{(\d*)(,?)(\d*)\}")
_OPENS = re.compile(r"\((?!\?)|\(\?(?:i:|:|=|!|<=|<!)")
_ESCAPE = re.compile(r"\\(?:[pP]\{\^?[\w ]+\}|x\{[0-9A-Fa-f]+\}|[sSdDwWrntfv]|[^\w\s])")


class _RefusedError(ValueError):
    """A feature that is not allowed; the message names it."""


@dataclass(frozen=True)
class _Cost:
    """The choices to which an alternative can backtrack."""

    choices: int = 1
    endless: int = 0
    """The number of unbounded parts after which the rest can still fail."""
    last_endless: bool = False
    """Whether it ends with an unbounded part, after which nothing has failed yet."""
    can_fail: bool = False
    squares: int = 0
    """The choices of all alternatives that can backtrack into an unbounded part."""


def why_not(*patterns: str) -> str | None:
    """Return why patterns must not run, in words that follow "with"; None if they may run."""
    squares = 0
    for pattern in patterns:
        if len(pattern) > _LONGEST:
            return f"{len(pattern):,} characters; at most {_LONGEST:,} are allowed"
        try:
            cost, end = _alternatives(pattern, 0, 0)
            if end < len(pattern):
                raise _RefusedError("an unmatched bracket")
        except _RefusedError as refused:
            return str(refused)
        if cost.endless > 1:
            return "several unbounded parts in a row"
        squares += cost.squares
        if max(cost.choices, squares) > _MOST_CHOICES:
            return "too many ways to match the same text"
    return None


def _alternatives(pattern: str, at: int, depth: int) -> tuple[_Cost, int]:
    """Read alternatives up to their end; return the worst of their costs."""
    if depth > _MOST_NESTED:
        raise _RefusedError("brackets that are nested too deeply")
    found = []
    while True:
        cost, at = _sequence(pattern, at, depth)
        found.append(cost)
        if at >= len(pattern) or pattern[at] == ")":
            break
        at += 1
    worst = _Cost(
        choices=(sum if depth else max)(cost.choices for cost in found),
        endless=max(cost.endless for cost in found),
        last_endless=any(cost.last_endless for cost in found),
        can_fail=all(cost.can_fail for cost in found),
        squares=sum(cost.choices for cost in found if cost.endless),
    )
    return worst, at


def _sequence(pattern: str, at: int, depth: int) -> tuple[_Cost, int]:
    """Read one alternative."""
    choices, endless, waiting, can_fail = 1, 0, 0, False
    while at < len(pattern) and pattern[at] not in "|)":
        part, at, is_group = _part(pattern, at, depth)
        least, most, at = _times(pattern, at)
        if is_group and most > 1:
            raise _RefusedError("a repeated group")
        inner = part.endless + part.last_endless
        if most == math.inf:
            inner += 1
        elif (ways := part.choices * (int(most) - least + 1)) > 1:
            choices = min(choices * ways, 10 * _MOST_CHOICES)
        if least and part.can_fail:  # it can fail, so everything before it is tried again
            endless, waiting, can_fail = endless + waiting, 0, True
        waiting += inner
    return _Cost(choices, endless + max(0, waiting - 1), waiting > 0, can_fail), at


def _part(pattern: str, at: int, depth: int) -> tuple[_Cost, int, bool]:
    """Read a character, a class or a group; return its cost, its end, and whether it is a group."""
    character, single = pattern[at], _Cost(can_fail=True)
    if character == "(":
        opens = _OPENS.match(pattern, at)
        if not opens:
            raise _RefusedError(f"the group {pattern[at : at + 4]}")
        cost, end = _alternatives(pattern, opens.end(), depth + 1)
        if end >= len(pattern):
            raise _RefusedError("an unmatched bracket")
        looks = opens[0][-1] in "=!"
        if looks and (cost.endless or cost.last_endless):
            raise _RefusedError("a lookaround of unbounded length")
        return _Cost(cost.choices, cost.endless, cost.last_endless, can_fail=True), end + 1, True
    if character == "[":
        return single, _class_end(pattern, at), False
    if character == "\\":
        return single, _escape_end(pattern, at), False
    if _QUANTIFIER.match(pattern, at):
        raise _RefusedError("a quantifier with nothing to repeat")
    return single, at + 1, False


def _times(pattern: str, at: int) -> tuple[int, float, int]:
    """Read a quantifier; return the least and the largest number of repetitions, and its end."""
    found = _QUANTIFIER.match(pattern, at)
    if not found or found[0] in ("{}", "{,}"):
        return 1, 1, at
    sign, end = found[0], found.end()
    if pattern[end : end + 1] == "+":
        raise _RefusedError("a possessive quantifier")
    end += pattern[end : end + 1] == "?"
    if _QUANTIFIER.match(pattern, end):
        raise _RefusedError("a quantifier after a quantifier")
    if sign in "*+?":
        return int(sign == "+"), 1 if sign == "?" else math.inf, end
    least = int(found[1] or 0)
    most = least if not found[2] else int(found[3]) if found[3] else math.inf
    if least > _MOST_CHOICES or (most != math.inf and most > _MOST_CHOICES):
        raise _RefusedError(f"the repetition {sign}")
    return least, max(most, least), end


def _class_end(pattern: str, at: int) -> int:
    """Return the end of a character class."""
    start = at + 1 + pattern.startswith("^", at + 1)
    at, inside = start, 0
    while at < len(pattern):
        if pattern.startswith("&&", at):
            raise _RefusedError("an intersection of character classes")
        if pattern.startswith("[:", at):
            raise _RefusedError("a POSIX character class")
        if pattern[at] == "\\":
            at = _escape_end(pattern, at)
            continue
        if pattern[at] == "[":
            inside += 1
        elif pattern[at] == "]" and at > start:
            if not inside:
                return at + 1
            inside -= 1
        at += 1
    raise _RefusedError("an unmatched bracket")


def _escape_end(pattern: str, at: int) -> int:
    found = _ESCAPE.match(pattern, at)
    if not found:
        raise _RefusedError(f"the escape {pattern[at : at + 2]}")
    return found.end()
