import numpy as np
import pytest

from viz.figures.attention import attention_map, head_tiles
from viz.figures.theme import DARK, LIGHT


def draw(weights, *, mask=None, query_tokens=None, key_tokens=None, **options):
    weights = np.asarray(weights, dtype=float)
    rows, columns = weights.shape
    return attention_map(
        weights,
        mask=np.ones(weights.shape, dtype=bool) if mask is None else np.asarray(mask, dtype=bool),
        query_tokens=query_tokens or [f"q{i}" for i in range(rows)],
        key_tokens=key_tokens or [f"k{i}" for i in range(columns)],
        query_title="query: French token being written",
        key_title="key: English token read",
        **options,
    )


def test_rows_are_queries_and_columns_are_keys():
    weights = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]
    figure = draw(weights, query_tokens=["le", "chat", "noir"], key_tokens=["the", "cat"])
    [heatmap] = figure.data
    np.testing.assert_array_equal(heatmap.z, weights)
    assert figure.layout.xaxis.ticktext == ("the", "cat")
    assert figure.layout.yaxis.ticktext == ("le", "chat", "noir")
    assert figure.layout.xaxis.title.text == "key: English token read"
    assert figure.layout.yaxis.title.text == "query: French token being written"


def test_the_first_query_is_at_the_top():
    assert draw(np.eye(3)).layout.yaxis.range == (2.5, -0.5)


def test_the_scale_is_always_0_to_1():
    figure = draw([[0.2, 0.3]])
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)
    assert figure.data[0].coloraxis == "coloraxis"


def test_a_token_that_comes_twice_keeps_both_its_columns():
    tokens = ["the", "cat", "the"]
    figure = draw(np.eye(3), query_tokens=tokens, key_tokens=tokens)
    assert figure.layout.xaxis.tickvals == (0, 1, 2)
    assert figure.layout.xaxis.ticktext == ("the", "cat", "the")
    assert figure.data[0].x is None


def test_tokens_are_shown_literally():
    figure = draw([[1.0]], query_tokens=["</s>"], key_tokens=["<b>&amp;"])
    assert figure.layout.yaxis.ticktext == ("&lt;/s&gt;",)
    assert figure.layout.xaxis.ticktext == ("&lt;b&gt;&amp;amp;",)
    assert (
        "query  &lt;/s&gt;<br>key    &lt;b&gt;&amp;amp;<br>weight 1.0000" in figure.data[0].text[0]
    )


def test_a_long_token_is_shortened_on_the_axis_and_whole_on_hover():
    figure = draw([[1.0]], key_tokens=["a" * 40])
    assert figure.layout.xaxis.ticktext == ("a" * 15 + "…",)
    assert "a" * 40 in figure.data[0].text[0][0]


def test_masked_cells_are_hatched_and_say_so():
    figure = draw([[1, 0, 0], [0.5, 0.5, 0], [0.1, 0.2, 0.7]], mask=np.tri(3))
    heatmap, hatching = figure.data
    assert hatching.fillpattern.shape == "/"
    boxes = np.array(hatching.x, dtype=float).reshape(-1, 6)
    assert [(box[0], box[1]) for box in boxes] == [(0.5, 2.5), (1.5, 2.5)]
    rows = np.array(hatching.y, dtype=float).reshape(-1, 6)
    assert [(row[0], row[2]) for row in rows] == [(-0.5, 0.5), (0.5, 1.5)]
    masked = [[text.endswith("masked") for text in row] for row in heatmap.text]
    np.testing.assert_array_equal(masked, ~np.tri(3, dtype=bool))
    assert heatmap.text[1][2] == "query  q1<br>key    k2<br>weight 0.0000<br>masked"


def test_a_weight_that_leaks_stays_visible_under_the_hatching():
    figure = draw([[0.6, 0.4]], mask=[[1, 0]])
    assert figure.data[0].z[0][1] == 0.4
    assert "weight 0.4000<br>masked" in figure.data[0].text[0][1]


@pytest.mark.parametrize("size", [1, 3, 14, 40, 64])
def test_cells_are_square_and_the_figure_fits_a_page(size):
    layout = draw(np.full((size, size), 1 / size)).layout
    wide = layout.width - layout.margin.l - layout.margin.r
    high = layout.height - layout.margin.t - layout.margin.b
    assert wide == high
    assert 12 <= wide / size <= (44 if size > 2 else 130)
    assert layout.height >= 190
    assert layout.width < 950


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_roles_have_their_colours(palette):
    layout = draw([[1.0]], palette=palette).layout
    assert layout.xaxis.title.font.color == palette.key
    assert layout.yaxis.title.font.color == palette.query


def test_says_which_tokens_do_not_fit():
    with pytest.raises(ValueError, match="2 x 2, but there are 3 query tokens and 2 key tokens"):
        draw(np.eye(2), query_tokens=[*"abc"])


def test_tiles_stand_in_rows_of_layers_and_columns_of_heads():
    weights = np.zeros((2, 3, 4, 4))
    weights[1, 2] = np.eye(4)
    figure = head_tiles(weights, selected=(1, 2))
    tiles, targets = figure.data
    assert tiles.z.dtype == np.uint8
    np.testing.assert_array_equal(tiles.z[-4:, -4:], 255 * np.eye(4))
    assert tiles.z[:-4].max() == 0
    assert tiles.z[:, :-4].max() == 0
    assert figure.layout.coloraxis.cmax == 255
    assert figure.layout.xaxis.ticktext == ("H0", "H1", "H2")
    assert figure.layout.yaxis.ticktext == ("L0", "L1")
    assert [tuple(c) for c in targets.customdata][-1] == (1, 2)
    assert len(targets.x) == 6


def test_the_selected_tile_is_framed():
    figure = head_tiles(np.zeros((2, 2, 3, 5)), selected=(0, 1), palette=DARK)
    framed = [shape.line.color == DARK.accent for shape in figure.layout.shapes]
    assert framed == [False, True, False, False]


def test_a_head_that_is_not_there_cannot_be_selected():
    with pytest.raises(ValueError, match=r"a head of 2 layers with 2 heads, got \(2, 0\)"):
        head_tiles(np.zeros((2, 2, 3, 3)), selected=(2, 0))


def test_beside_few_rows_the_title_stands_in_two_lines():
    def title(rows: int) -> str:
        figure = attention_map(
            np.full((rows, 2), 0.5),
            mask=np.ones((rows, 2), dtype=bool),
            query_tokens=["chat"] * rows,
            key_tokens=["the", "cat"],
            query_title="query: <French> token being written",
            key_title="key",
        )
        return figure.layout.yaxis.title.text

    assert title(1) == "query: &lt;French&gt; token<br>being written"
    assert title(8) == "query: &lt;French&gt; token being written"
