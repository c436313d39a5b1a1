import itertools
import tomllib
from pathlib import Path

import pytest

from viz.pictures.theme import DARK, LIGHT


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("palette", "name"), [(LIGHT, "light"), (DARK, "dark")])
def test_words_can_be_read_on_the_panel_and_the_page(palette, name):
    config = tomllib.loads((Path(__file__).parents[3] / ".streamlit/config.toml").read_text())
    theme = config["theme"][name]
    for ground in (palette.panel, theme["backgroundColor"], theme["secondaryBackgroundColor"]):
        for colour in (palette.ink, palette.soft, palette.query, palette.key, palette.value):
            assert contrast(colour, ground) >= 4.5


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_more_weight_is_always_further_from_the_panel(palette):
    assert palette.scale[0] == palette.panel
    distances = [contrast(colour, palette.panel) for colour in palette.scale]
    assert all(near < far for near, far in itertools.pairwise(distances))
    assert distances[-1] > 10
