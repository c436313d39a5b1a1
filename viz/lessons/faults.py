"""What is wrong with a lesson: one precise message a fault, each with its place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from texts import listed, say, say_of


@dataclass(frozen=True)
class Told:
    """What a fault says, by its key: a fault is kept, and who reads it may change the language."""

    name: str
    """Of the texts of the area `lesson_fault`."""
    values: Mapping[str, object] = field(default_factory=dict)
    """What stands in its braces: texts, numbers, others of this kind; a tuple is said as a list of
    which one will do."""

    def __str__(self) -> str:
        said = {n: listed(v, "or") if isinstance(v, tuple) else v for n, v in self.values.items()}
        return say_of("lesson_fault", self.name, **said)


def told(name: str, /, near: str = "", **values: object) -> Told:
    """Make what a fault says; `near` is the known name that is nearest to a wrong one."""
    says = Told(name, values)
    return Told("near", {"fault": says, "name": near}) if near else says


def too_many(unit: str, most: int, count: int) -> Told:
    """Make what is said where there is more of something than is read."""
    return told("most", most=most, unit=told(f"unit.{unit}"), count=count)


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, for people."""

    place: str
    """Where in the lesson: "step 2.wrong.see"; empty for the whole file."""
    says: Told
    """What is wrong there and what would work."""

    def __str__(self) -> str:
        return (
            say("lesson_fault.at", place=self.place, says=self.says)
            if self.place
            else str(self.says)
        )


class LessonError(ValueError):
    """A lesson that cannot be used; it lists every fault."""

    def __init__(self, *faults: Fault) -> None:
        self.faults = faults
        super().__init__(*faults)

    def __str__(self) -> str:
        return "\n".join(map(str, self.faults))


def refuse(place: str, name: str, /, near: str = "", **values: object) -> LessonError:
    """Make the error of one fault, by the name of what it says."""
    return LessonError(Fault(place, told(name, near, **values)))


def passed_on(place: str, error: Exception) -> LessonError:
    """Make the error of one fault that something else has told in words for people."""
    return refuse(place, "told", text=str(error))


def nearest(word: str, known: Sequence[str]) -> str:
    """Return which of the known names is nearest; empty where none is at all like it."""
    found = get_close_matches(word[:60], [name[:60] for name in known], 1, 0.5)
    return found[0] if found else ""
