"""The look of every picture: a palette for light pages and one for dark pages, also as CSS."""

from dataclasses import dataclass, fields

SANS = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', Ubuntu, Helvetica, Arial, sans-serif"
MONO = "'DejaVu Sans Mono', ui-monospace, 'SF Mono', Menlo, Consolas, monospace"

FONT_SIZE = 12
CHARACTER_WIDTH = 7.3
"""Width of a monospaced character at FONT_SIZE, in pixels, which figures need for their labels."""


@dataclass(frozen=True)
class Palette:
    """Colours by their role; colour-blind readers can tell them apart, too."""

    ink: str
    soft: str
    ground: str
    """Background of the page, and of everything that stays in place while the page scrolls."""
    panel: str
    line: str
    """Borders of cards and chips."""
    grid: str
    """Lines between the cells of a heat map."""
    hatch: str
    """Lines over masked cells."""
    accent: str
    """The selection."""
    query: str
    key: str
    value: str
    wrong: str
    """A failed check, and weight on masked cells."""
    mark: str
    """Background of unknown words."""
    gold: str
    """The gold alignment, over maps of weights."""
    scale: tuple[str, ...]
    """Weights and probabilities, 0 to 1, in steps of equal lightness; 0 is the panel itself."""
    diverging: tuple[str, ...]
    """Signed values, centred on 0, which is the panel itself. Purple is negative, olive positive:
    no role has these hues, and colour-blind readers can tell them apart."""


LIGHT = Palette(
    ink="#1c1e26",
    soft="#62656f",
    ground="#fbfbf9",
    panel="#ffffff",
    line="#e4e3dd",
    grid="#eeede8",
    hatch="#a9a8a1",
    accent="#3a4fd0",
    query="#a95400",
    key="#0068a8",
    value="#007a57",
    wrong="#b3261e",
    mark="#ffe9c7",
    gold="#d6246e",
    scale=("#ffffff", "#dde2f4", "#b3bde4", "#8693cf", "#5a69b4", "#334294", "#131d61"),
    diverging=("#5f1f6e", "#9a5ba8", "#cfb0d6", "#ffffff", "#d3d8a4", "#98a14a", "#5d6600"),
)
DARK = Palette(
    ink="#eceef4",
    soft="#a2a7b5",
    ground="#12141a",
    panel="#191c24",
    line="#2b2f3a",
    grid="#262a34",
    hatch="#5a6070",
    accent="#9aa8ff",
    query="#f2a65a",
    key="#6cb8f0",
    value="#5fd1a7",
    wrong="#ff8a80",
    mark="#4a3416",
    gold="#ff7ab2",
    scale=("#191c24", "#39352f", "#5e503a", "#876e45", "#b18e52", "#dab265", "#ffe08a"),
    diverging=("#e8b4f2", "#a86fb5", "#5b4464", "#191c24", "#4c5226", "#8c9640", "#d5e07a"),
)


def colour_variables() -> str:
    """Write `--NAME: light-dark(LIGHT, DARK)` for each colour, and `--NAME-0`, … for a scale."""
    pairs: dict[str, tuple[str, str]] = {}
    for field in fields(LIGHT):
        light, dark = getattr(LIGHT, field.name), getattr(DARK, field.name)
        if isinstance(light, str):
            pairs[field.name] = (light, dark)
        else:
            stops = zip(light, dark, strict=True)
            pairs |= {f"{field.name}-{i}": stop for i, stop in enumerate(stops)}
    pairs["negative"] = (LIGHT.diverging[1], DARK.diverging[1])
    pairs["positive"] = (LIGHT.diverging[-2], DARK.diverging[-2])
    return "\n".join(f"--{name}: light-dark({a}, {b});" for name, (a, b) in pairs.items())


def root_variables() -> str:
    """Write the rule that gives the whole document its colours.

    Elements appended to `body`, outside the app, get them too.
    """
    return f":root {{\n{colour_variables()}\n--mono: {MONO};\n}}"
