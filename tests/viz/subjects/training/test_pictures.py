import numpy as np
import pytest

from viz.run.codes import CODE_MASKED, CODE_ONE
from viz.subjects.training.pictures import pack_lapse
from viz.subjects.training.time_lapse import Scores, Snapshot, TimeLapse

LANGUAGES = ("Command", "Digits")


def snapshot(step: int, weight: float) -> Snapshot:
    weights = np.zeros((1, 2, 2, 2), dtype=np.float32)
    weights[0, :, 0, 0] = 1
    weights[0, 0, 1] = [weight, 1 - weight]
    weights[0, 1, 1] = [1 - weight, weight]
    cross = np.full((1, 2, 2, 3), 1 / 3, dtype=np.float32)
    scores = Scores(step / 10, 1.0, {(0, 1): 0.25, (0, 0): 0.75}, 0.5)
    kinds = {
        "encoder self-attention": np.full((1, 2, 3, 3), 1 / 3, dtype=np.float32),
        "decoder self-attention": weights,
        "cross-attention": cross,
    }
    return Snapshot(step, f"wrote {step}", step > 0, scores, kinds)


@pytest.fixture
def lapse() -> TimeLapse:
    return TimeLapse(
        source_tokens=("copy", "7", "</s>"),
        target_tokens=("<s>", "7", "</s>"),
        masks={
            "encoder self-attention": np.ones((3, 3), dtype=bool),
            "decoder self-attention": np.tri(2, dtype=bool),
            "cross-attention": np.ones((2, 3), dtype=bool),
        },
        snapshots=(snapshot(0, 0.5), snapshot(4, 0.1)),
        loss_steps=(2, 4),
        losses=(3.0, 1.5),
        rates=(0.01, 0.02),
        steps=4,
    )


def test_weights_of_all_snapshots_are_sent_in_order(lapse: TimeLapse):
    data = pack_lapse(lapse, "decoder self-attention", LANGUAGES)
    codes = data["codes"].column("code").to_numpy().reshape(2, 1, 2, 2, 2)
    # Weights in half percents; the causal mask hides the upper right cell.
    assert codes[0, 0, 0].tolist() == [[CODE_ONE, CODE_MASKED], [25_000, 25_000]]
    assert codes[1, 0, 0].tolist() == [[CODE_ONE, CODE_MASKED], [5_000, 45_000]]
    assert codes[1, 0, 1].tolist() == [[CODE_ONE, CODE_MASKED], [45_000, 5_000]]
    meta = data["meta"]
    assert (meta["layers"], meta["heads"]) == (1, 2)
    assert meta["rowTokens"] == ("7", "</s>")
    assert meta["columnTokens"] == ("<s>", "7")


def test_curves_and_words_go_with_them(lapse: TimeLapse):
    meta = pack_lapse(lapse, "cross-attention", LANGUAGES)["meta"]
    assert meta["steps"] == [0, 4]
    assert meta["written"] == ["wrote 0", "wrote 4"]
    assert meta["right"] == [False, True]
    assert meta["loss"] == {"steps": (2, 4), "values": (3.0, 1.5), "rates": (0.01, 0.02)}
    assert meta["exact"] == [0.0, 0.4]
    assert meta["alignment"] == [
        {"layer": 0, "head": 0, "values": [0.75, 0.75]},
        {"layer": 0, "head": 1, "values": [0.25, 0.25]},
    ]
    assert meta["chance"] == 0.5
    assert meta["columnTokens"] == ("copy", "7", "</s>")
    assert meta["rowTitle"] == "query: Digits token being written"
    assert meta["name"] == "decoder.layers.{layer}.cross_attn.weights"
