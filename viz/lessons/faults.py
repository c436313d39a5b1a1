"""The faults of a lesson: each has its place and one precise message."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from texts import listed, say, say_of


@dataclass(frozen=True)
class Told:
    """The message of a fault, kept as a key because the reader may change the language."""

    name: str
    """A key of the texts in the area `lesson_fault`."""
    values: Mapping[str, object] = field(default_factory=dict)
    """Values of the placeholders: texts, numbers or other messages; a tuple lists the
    alternatives."""

    def __str__(self) -> str:
        said = {n: listed(v, "or") if isinstance(v, tuple) else v for n, v in self.values.items()}
        return say_of("lesson_fault", self.name, **said)


def told(name: str, /, near: str = "", **values: object) -> Told:
    """Make the message of a fault; `near` is the known name that is most like a wrong one."""
    says = Told(name, values)
    return Told("near", {"fault": says, "name": near}) if near else says


def too_many(unit: str, most: int, count: int) -> Told:
    """Make the message for a value that exceeds a limit."""
    return told("most", most=most, unit=told(f"unit.{unit}"), count=count)


@dataclass(frozen=True)
class Fault:
    """One fault of a lesson, for people."""

    place: str
    """Its place in the lesson: "step 2.wrong.see"; empty for the whole file."""
    says: Told
    """The fault and its remedy."""

    def __str__(self) -> str:
        return (
            say("lesson_fault.at", place=self.place, says=self.says)
            if self.place
            else str(self.says)
        )


class LessonError(ValueError):
    """A lesson that cannot be used; lists all faults."""

    def __init__(self, *faults: Fault) -> None:
        self.faults = faults
        super().__init__(*faults)

    def __str__(self) -> str:
        return "\n".join(map(str, self.faults))


def refuse(place: str, name: str, /, near: str = "", **values: object) -> LessonError:
    """Make the error for one fault, from the key of its message."""
    return LessonError(Fault(place, told(name, near, **values)))


def passed_on(place: str, error: Exception) -> LessonError:
    """Make the error for one fault from an error whose message is already meant for people."""
    return refuse(place, "told", text=str(error))


def nearest(word: str, known: Sequence[str]) -> str:
    """Return the known name that is most like a word; empty if none is similar."""
    found = get_close_matches(word[:60], [name[:60] for name in known], 1, 0.5)
    return found[0] if found else ""
