import numpy as np

from viz.pictures.panels import Panel, pack_panels


def panel(values, **more) -> Panel:
    return Panel(title="t", values=np.array(values, dtype=np.float32), scale="signed", **more)


def test_matrices_stand_one_after_the_other():
    data = pack_panels([panel([[1, 2, 3]]), panel([[4], [5]])], selects=True)
    values = data["values"].column("value").to_numpy()
    assert values.tolist() == [1, 2, 3, 4, 5]
    first, second = data["meta"]["panels"]
    assert (first["rows"], first["columns"], first["offset"]) == (1, 3, 0)
    assert (second["rows"], second["columns"], second["offset"]) == (2, 1, 3)
    assert "masks" not in data


def test_only_masks_that_are_given_are_sent():
    hidden = np.array([[True, False]])
    data = pack_panels([panel([[1, 2]]), panel([[3, 4]], masked=hidden)], selects=False)
    assert [p["masked"] for p in data["meta"]["panels"]] == [None, 0]
    assert data["masks"].column("masked").to_numpy().tolist() == [1, 0]


def test_colours_reach_to_the_largest_value_that_is_neither_masked_nor_infinite():
    hidden = np.array([[False, False, True]])
    data = pack_panels(
        [panel([[2, -3, -1e9]], masked=hidden), panel([[1, -np.inf]])], selects=False
    )
    assert [p["largest"] for p in data["meta"]["panels"]] == [3, 1]
    assert pack_panels([panel([[np.nan]])], selects=False)["meta"]["panels"][0]["largest"] == 0
