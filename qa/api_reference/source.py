"""The source of the packages, read without importing them, and their types as text."""

import re
from pathlib import Path

import griffe

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("loupe", "model")


class Source:
    """Both packages, as read by griffe."""

    def __init__(self) -> None:
        """Read the source."""
        loader = griffe.GriffeLoader(search_paths=[ROOT])
        for package in PACKAGES:
            loader.load(package)
        self.modules = loader.modules_collection

    def find(self, path: str) -> griffe.Object:
        """Return the object at a path, from wherever it was imported to that place."""
        found = self.modules[path]
        return self.find(found.target_path) if found.is_alias else found

    def public(self, name: str) -> griffe.Object:
        """Return the object that `loupe.NAME` is."""
        modules = dict(re.findall(r"'(\w+)': '(\w+)'", str(self.find("loupe._MODULES").value)))
        return self.find(f"loupe.{modules[name]}.{name}")

    def public_names(self) -> set[str]:
        """Return the names in `loupe.__all__`."""
        return set(re.findall(r"'(\w+)'", str(self.find("loupe.__all__").value)))

    def type_of(self, annotation: object, within: griffe.Object) -> str:
        """Return a type as text, with its allowed words instead of the name of a choice."""
        text = str(annotation or "")
        for name in set(re.findall(r"\b[A-Z]\w+\b", text)):
            text = re.sub(rf"\b{name}\b", lambda _, n=name: self._choices(n, within), text)
        text = re.sub(r"Literal\[([^\]]+)\]", lambda found: found[1].replace(", ", " | "), text)
        return quoted(re.sub(r"^'([^']+)'$", r"\1", text))

    def value_of(self, default: object, within: griffe.Object) -> str:
        """Return a default as code, a constant by its value."""
        member = within.module.members.get(str(default))
        found = member and self._own(member)
        return quoted(found.value if found and found.is_attribute else default)

    def _choices(self, name: str, within: griffe.Object) -> str:
        member = within.module.members.get(name)
        value = str(getattr(member and self._own(member), "value", ""))
        return value if value.startswith("Literal[") else name

    def _own(self, member: griffe.Object | griffe.Alias) -> griffe.Object | None:
        """Return a member of a module; None if it is defined elsewhere."""
        path = member.target_path if member.is_alias else member.path
        return self.find(path) if path.partition(".")[0] in PACKAGES else None


def quoted(code: object) -> str:
    """Return code with the quotes that this project uses."""
    return str(code).replace("'", '"')
