"""`python -m tests.texts.typeset`: correct apostrophes and spaces in `texts/` by language."""

import json
import re

from texts.saying import FOLDER

_LINE = re.compile(r'(?P<start>\s*"(?:[^"\\]|\\.)*": )(?P<text>"(?:[^"\\]|\\.)*")(?P<end>,?)')
"""A key and its text, on a line of their own."""
_NOT_PROSE = re.compile(r"(`[^`]*`|https?://\S+|<[^<>]*>|\{[^{}]*\}|&\w+;)")
"""Code, addresses, tags and values in a text, which stay unchanged."""
_SPACES = "[ \u00a0\u202f]*"
_FRENCH = {
    f"«{_SPACES}": "«\u00a0",
    f"{_SPACES}»": "\u00a0»",
    rf"(?<!\(){_SPACES}([;!?]+)(?!\w)": "\u202f\\1",
    rf"{_SPACES}:(?= |$)": "\u00a0:",
    rf"(?<=[\d}}]){_SPACES}%": "\u00a0%",
}
"""Signs with the spaces around them, and their replacements."""


def typeset(text: str, spoken: str) -> str:
    """Return a text with the typography of its language."""
    parts = _NOT_PROSE.split(text)
    parts[::2] = [part.replace("'", "’") for part in parts[::2]]
    if spoken != "fr":
        return "".join(parts)
    kept = parts[1::2]
    marked = "}".join(parts[::2])  # so that signs after a value are set, too
    for pattern, becomes in _FRENCH.items():
        marked = re.sub(pattern, becomes, marked)
    prose = marked.split("}")
    return "".join(part for both in zip(prose, [*kept, ""], strict=True) for part in both)


def typeset_line(line: str, spoken: str) -> str:
    """Correct the text in a line of a language file; other lines stay unchanged."""
    found = _LINE.fullmatch(line)
    if not found:
        return line
    said = json.loads(found["text"])
    made = typeset(said, spoken)
    if made == said:
        return line
    return f"{found['start']}{json.dumps(made, ensure_ascii=False)}{found['end']}"


def main() -> None:
    """Correct every text of both languages, except the signs of numbers."""
    for path in sorted(FOLDER.glob("*.json")):
        head, mark, rest = path.read_text("utf-8").partition('\n  "place": {')
        set_lines = (typeset_line(line, path.stem) for line in rest.split("\n"))
        path.write_text(head + mark + "\n".join(set_lines), "utf-8")


if __name__ == "__main__":
    main()
