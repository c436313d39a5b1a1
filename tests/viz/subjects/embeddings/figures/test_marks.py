import pytest

from tests.viz.pictures.test_theme import contrast
from viz.pictures.theme import DARK, LIGHT
from viz.subjects.embeddings.figures.marks import look, looks
from viz.subjects.embeddings.groups import CLASSES, KINDS


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("groups", [CLASSES, KINDS])
def test_no_two_groups_share_a_colour_and_all_stand_off_the_panel(palette, groups):
    looks = [look(name, palette) for name in groups]
    assert len({each.colour for each in looks}) == len(groups)
    assert all(contrast(each.colour, palette.panel) >= 2.8 for each in looks)


def test_the_groups_that_occur_have_both_colours_in_the_order_of_the_legend():
    found = looks(["special", "verb", "le", "verb"])
    assert [*found] == ["le", "verb", "special"]
    assert found["special"] == (LIGHT.soft, DARK.soft)
    assert len({*found["le"], *found["verb"]}) == 4
