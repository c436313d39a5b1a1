"""Scores of heads on repeated random tokens, measured on heads that are built by hand."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import loupe
from tests.checkpoints import load_shipped
from tests.loupe.test_effects import save_gpt2
from tests.loupe.test_foreign import sharp, t5
from tests.model.foreign.huggingface.families import DECODERS, ENCODERS, inputs_of

WORDS, ROOM = 24, 64
SHARP = 40.0
"""A factor for scores, so that the best key outweighs 60 others by e to the 40th."""


class Copying(nn.Module):
    """An attention-only induction model, built by hand.

    Head 0 of the first layer reads the previous token; head 1 of the second layer reads the token
    that followed earlier copies. The two other heads read all tokens equally. A state holds the
    token, its position and the previous token, each in a subspace of its own.
    """

    def __init__(self, *, prefix: bool = True) -> None:
        super().__init__()
        self.embed = nn.Embedding(WORDS, WORDS)
        self.places = nn.Embedding(ROOM, ROOM)
        self.head = nn.Linear(WORDS, WORDS, bias=False)
        with torch.no_grad():
            for each in (self.embed, self.places, self.head):
                each.weight.copy_(torch.eye(len(each.weight)))
        self.sees_before = prefix

    def forward(self, ids: Tensor) -> Tensor:
        token = self.embed(ids)
        place = self.places(torch.arange(ids.size(1)))[None].expand(len(ids), -1, -1)
        earlier = nn.functional.pad(place[:, :-1], (0, 0, 1, 0))  # row j + 1 looks for key j
        seen = self._attend((earlier, 0 * earlier), (place, place), (token, token))
        before = seen[:, 0] * (torch.arange(ids.size(1)) > 0)[:, None]  # the first has none
        before = before if self.sees_before else 0 * before
        found = self._attend((0 * token, token), (before, before), (token, token))
        return self.head(found[:, 1])

    def _attend(self, q: tuple, k: tuple, v: tuple) -> Tensor:
        query, key, value = (torch.stack(each, dim=1) for each in (q, k, v))
        scores = SHARP * query @ key.transpose(-1, -2)
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        return scores.masked_fill(hidden, -torch.inf).softmax(-1) @ value


def test_a_head_built_to_copy_scores_one() -> None:
    found = loupe.induction_scores(Copying(), length=12)
    assert found.axes == ("layer", "head")
    assert found.values.shape == (2, 2)
    expected = torch.tensor([[0.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
    assert torch.allclose(found.values.round(decimals=3), expected, atol=0.1)
    assert float(found.values[1, 1]) == pytest.approx(1, abs=1e-6)
    assert found.counts.tolist() == [[False, False], [False, True]]
    assert "1 head does this by the rule: at least 0.3 of its weight there" in repr(found)
    assert found.to_frame().shape == (2, 2)
    before = loupe.previous_token_scores(Copying(), length=12)
    assert float(before.values[0, 0]) == pytest.approx(1, abs=1e-6)
    assert before.counts.tolist() == [[True, False], [False, False]]


class Rows(nn.Module):
    """Returns rows of a matrix, without being an `nn.Embedding`."""

    def __init__(self, rows: Tensor) -> None:
        super().__init__()
        self.register_buffer("rows", rows)

    def forward(self, ids: Tensor) -> Tensor:
        return self.get_buffer("rows")[ids]


class Bare(Copying):
    """A copying model without an embedding table, and with fewer positions."""

    def __init__(self) -> None:
        super().__init__()
        made: Any = self
        made.embed, made.places = Rows(torch.eye(WORDS)), Rows(torch.eye(ROOM)[:20])


def test_a_model_of_any_vocabulary_and_room_is_measured() -> None:
    found = loupe.induction_scores(Bare())
    assert len(found.texts[0]) == 12  # 20 positions hold 6 of the 24 words twice
    assert found.counts.tolist() == [[False, False], [False, True]]
    with pytest.raises(ValueError, match=r"cannot read 24 tokens \(.*\): give a smaller length"):
        loupe.induction_scores(Bare(), length=12)
    several = nn.ModuleList([nn.Embedding(5, 4), nn.Embedding(7, 4)])
    module = Bare()
    module.add_module("others", several)
    with pytest.raises(ValueError, match="size of the module's vocabulary is unknown: give voc"):
        loupe.induction_scores(module)
    given = loupe.induction_scores(module, vocabulary=WORDS, length=6)
    assert given.counts.tolist() == found.counts.tolist()


def test_without_the_first_head_none_is_claimed() -> None:
    found = loupe.induction_scores(Copying(prefix=False), length=12)
    assert not found.counts.any()
    assert "no head does this by the rule" in repr(found)


@pytest.mark.parametrize("name", ["GPT-2", "Qwen3", "Gemma 2", "own"])
def test_scores_are_means_over_rows_and_texts(name: str, tmp_path: Path) -> None:
    if name == "own":
        save_gpt2(tmp_path)
        model: Any = loupe.load(tmp_path)
    else:
        model = sharp(DECODERS[name])
    found = loupe.induction_scores(model, length=9, count=3, seed=5)
    previous = loupe.previous_token_scores(model, length=9, count=3, seed=5)
    assert previous.texts == found.texts
    assert len(set(found.texts)) == 3
    for label in (0, 1):
        path = found.labels[0][label]
        for head in (0, 3):
            copies, before = [], []
            for ids in found.texts:
                once = ids[-9:]
                assert ids[-18:-9] == once
                assert len(set(once)) == 9
                weights = loupe.trace(model, list(ids))[path][0, head].double()
                start = len(ids) - 18
                rows = range(start + 9, len(ids))
                copies.append(sum(float(weights[t, t - 8]) for t in rows) / 9)
                every = range(1, len(ids))
                before.append(sum(float(weights[t, t - 1]) for t in every) / len(every))
            assert float(found.values[label, head]) == pytest.approx(sum(copies) / 3, abs=1e-7)
            assert float(previous.values[label, head]) == pytest.approx(sum(before) / 3, abs=1e-7)


def test_the_trained_pair_is_found_and_the_same_as_the_page_claims() -> None:
    model = load_shipped("induction-one-head")
    scores = loupe.induction_scores(model, length=8)
    assert scores.counts.tolist() == [[False], [True]]
    before = loupe.previous_token_scores(model, length=8)
    assert before.counts.tolist()[0] == [True]


def test_texts_of_ones_own_are_measured() -> None:
    model = load_shipped("induction-one-head")
    text = "river lamp horse river lamp"
    found = loupe.induction_scores(model, inputs=[text])
    run = loupe.trace(model, text)
    weights = run["decoder.layers.1.self_attn.weights"][0, 0]
    ids = found.texts[0]
    first = ids.index(ids[-2])  # "river", which "lamp" follows
    by_hand = (weights[-2, first + 1] + weights[-1, first + 2]) / 2
    assert float(found.values[1, 0]) == pytest.approx(float(by_hand), abs=1e-6)
    assert loupe.induction_scores(model, inputs=[list(ids)]).texts == (ids,)


def test_encoders_and_translators_are_measured() -> None:
    encoder = loupe.induction_scores(sharp(ENCODERS["BERT"]), length=7)
    assert encoder.labels[0][0] == "encoder.layers.0.self_attn.weights"
    for model in (t5(), load_shipped("everyday-paper-0")):
        found = loupe.previous_token_scores(model, length=5, count=1)
        names = found.labels[0]
        assert any(name.startswith("encoder.") for name in names)
        assert any(name.startswith("decoder.") for name in names)
        assert not any("cross" in name for name in names)
        assert found.values.isfinite().all()


def test_what_cannot_be_measured_is_said() -> None:
    model = sharp(DECODERS["GPT-2"])
    with pytest.raises(ValueError, match="length must be at most 32, as the model reads 64"):
        loupe.induction_scores(model, length=40)
    with pytest.raises(ValueError, match="length must be 2 or more, got 1"):
        loupe.induction_scores(model, length=1)
    with pytest.raises(ValueError, match="count must be 1 or more, got 0"):
        loupe.induction_scores(model, count=0)
    with pytest.raises(ValueError, match="at least 2 tokens that are words, got 1"):
        loupe.induction_scores(model, vocabulary=[3, 3])
    assert set(loupe.induction_scores(model, vocabulary=range(5, 9)).texts[0]) <= set(range(9))
    with pytest.raises(TypeError, match="a model must be a torch module, a checkpoint"):
        loupe.induction_scores(5)  # type: ignore[arg-type]
    assert inputs_of("GPT-2")


def test_the_picture_draws_values() -> None:
    assert "<html" in loupe.induction_scores(Copying(), length=8).html()
