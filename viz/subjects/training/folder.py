"""The folder of a training: its plan, what its process told, its state and its checkpoint."""

from pathlib import Path

from model.files.durable import write_whole
from model.files.lock import LockedError, locked
from viz.work.messages import Message, from_line, to_line

_RECORD = "told.jsonl"


def lock_file(folder: Path) -> Path:
    """Name the file that the process at work there holds."""
    return folder / ".lock"


def is_at_work(folder: Path) -> bool:
    """Return whether a process trains there, of this server or of another."""
    try:
        with locked(lock_file(folder)):
            return False
    except LockedError:
        return True


class Record:
    """What the process of a training told, a line each: a later server shows it again."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _RECORD

    def add(self, message: Message) -> None:
        """Write one more message."""
        with self._path.open("ab") as file:
            file.write(to_line(message))

    def read(self) -> list[Message]:
        """Read all messages; what was half written when its process ended is left out."""
        if not self._path.exists():
            return []
        messages: list[Message] = []
        for line in self._path.read_bytes().split(b"\n")[:-1]:
            try:
                messages.append(from_line(line))
            except ValueError:
                break
        return messages

    def cut(self, step: int) -> list[Message]:
        """Forget what was told after a step; before the first step, all. Give what stays."""
        kept = [message for message in self.read() if step and step_of_message(message) <= step]
        write_whole({self._path: b"".join(map(to_line, kept))})
        return kept


def step_of_message(message: Message) -> int:
    """Return the step that a message is about."""
    match message:
        case {"snapshot": {"step": int(step)}} | {"step": int(step)} | {"ended": int(step)}:
            return step
    return 0
