"""`python -m tests.texts.typeset`: set apostrophes and spaces in `texts/` as each language does."""

import json
import re

from texts.saying import FOLDER

_LINE = re.compile(r'(?P<start>\s*"(?:[^"\\]|\\.)*": )(?P<text>"(?:[^"\\]|\\.)*")(?P<end>,?)')
"""A key and its text, on a line of its own."""
_NOT_PROSE = re.compile(r"(`[^`]*`|https?://\S+|<[^<>]*>|\{[^{}]*\}|&\w+;)")
"""Code, addresses, tags and values in a text, which stay as they are."""
_SPACES = "[ \u00a0\u202f]*"
_FRENCH = {
    f"«{_SPACES}": "«\u00a0",
    f"{_SPACES}»": "\u00a0»",
    rf"(?<!\(){_SPACES}([;!?]+)(?!\w)": "\u202f\\1",
    rf"{_SPACES}:(?= |$)": "\u00a0:",
    rf"(?<=[\d}}]){_SPACES}%": "\u00a0%",
}
"""Signs with the spaces around them, and what they become."""


def typeset(text: str, spoken: str) -> str:
    """Set a text as its language is set."""
    parts = _NOT_PROSE.split(text)
    parts[::2] = [part.replace("'", "’") for part in parts[::2]]
    if spoken != "fr":
        return "".join(parts)
    kept = parts[1::2]
    marked = "}".join(parts[::2])  # a sign behind a value is set, too
    for pattern, becomes in _FRENCH.items():
        marked = re.sub(pattern, becomes, marked)
    prose = marked.split("}")
    return "".join(part for both in zip(prose, [*kept, ""], strict=True) for part in both)


def typeset_line(line: str, spoken: str) -> str:
    """Set the text of a line of a file of texts; other lines stay as they are."""
    found = _LINE.fullmatch(line)
    if not found:
        return line
    said = json.loads(found["text"])
    made = typeset(said, spoken)
    if made == said:
        return line
    return f"{found['start']}{json.dumps(made, ensure_ascii=False)}{found['end']}"


def main() -> None:
    """Set every text of both languages, but for the signs of numbers."""
    for path in sorted(FOLDER.glob("*.json")):
        head, mark, rest = path.read_text("utf-8").partition('\n  "place": {')
        set_lines = (typeset_line(line, path.stem) for line in rest.split("\n"))
        path.write_text(head + mark + "\n".join(set_lines), "utf-8")


if __name__ == "__main__":
    main()
