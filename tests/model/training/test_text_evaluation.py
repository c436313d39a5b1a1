import math
from dataclasses import replace

import pytest
import torch

from model.config import TransformerConfig
from model.edits import Edits
from model.text.text_corpus import KnownToken, TextExample
from model.training.text_evaluation import evaluate_texts
from model.transformer import Transformer
from tests.tiny import shaken

MASK = 10


def model_of(stack: str) -> Transformer:
    one, none = {"n_%s_layers": 2, "%s_vocab_size": 11}, {"n_%s_layers": 0, "%s_vocab_size": 0}
    names = {"n_%s_layers": ("encoder", "decoder"), "%s_vocab_size": ("source", "target")}
    has = 0 if stack == "encoder" else 1
    sizes = {
        name % part: (one if side == has else none)[name]
        for name, parts in names.items()
        for side, part in enumerate(parts)
    }
    torch.manual_seed(0)
    config = TransformerConfig(
        d_model=16, d_ff=0, n_heads=2, d_k=8, d_v=8, positions="rotary", tying="none", **sizes
    )
    return shaken(Transformer(config))


BEFORE = [
    TextExample((1, 4, 5, 4, 5), (KnownToken(4, (2,), "copied", right=5),)),
    TextExample(
        (1, 6, 7, 8, 6, 7, 8),
        (
            KnownToken(5, (2,), "copied", right=7),
            KnownToken(6, (1, 3), "chosen", ((7,), (8, 9)), right=1),
        ),
    ),
]
AROUND = [
    TextExample(
        (4, 5, 6, 7, 2),
        (
            KnownToken(1, (0,), "one", ((5,), (6, 7)), right=0),
            KnownToken(2, (0, 3), "many", ((5,), (6, 7)), right=1),
        ),
        mask=MASK,
    )
]


def by_hand(model, examples):
    """Score the texts one by one, and one known token at a time."""
    right, losses, looks, kinds = [], [], [], {}
    for example in examples:
        for token in example.known:
            if example.mask is None:
                ids, row = example.ids[: token.index], token.index - 1
                trace = model(None, torch.tensor([ids]))
                layers = trace.decoder.layers
            else:
                ids = list(example.ids)
                ids[token.index], row = example.mask, token.index
                trace = model(torch.tensor([ids]), None)
                layers = trace.encoder.layers
            chances = trace.logits[0, row].double().softmax(dim=0)
            if token.choices:
                chances = torch.stack([chances[list(c)].sum() for c in token.choices])
                chances = chances / chances.sum()
            right.append(int(chances.argmax()) == token.right)
            losses.append(-math.log(chances[token.right].item()))
            kinds.setdefault(token.kind, []).append(right[-1])
            weights = torch.stack([layer.self_attn.weights[0, :, row] for layer in layers])
            looks.append(weights[..., list(token.looks)].sum(dim=-1))
    return right, losses, torch.stack(looks).mean(dim=0), kinds


@pytest.mark.parametrize(("stack", "examples"), [("decoder", BEFORE), ("encoder", AROUND)])
def test_scores_against_one_token_at_a_time(stack, examples):
    model = model_of(stack)
    found = evaluate_texts(model, examples)
    with torch.inference_mode():
        right, losses, looks, kinds = by_hand(model, examples)
    assert found.texts == len(examples)
    assert found.right == pytest.approx(sum(right) / len(right))
    assert found.loss == pytest.approx(sum(losses) / len(losses), abs=1e-5)
    assert {k.name: (k.words, k.right) for k in found.kinds} == {
        name: (len(hits), pytest.approx(sum(hits) / len(hits))) for name, hits in kinds.items()
    }
    for head in found.heads:
        assert head.looks == pytest.approx(looks[head.layer, head.head].item(), abs=1e-6)
    assert [(h.layer, h.head) for h in found.heads] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_what_nothing_decides_and_the_weight_on_the_token_before_are_scored_apart():
    model, example = model_of("decoder"), BEFORE[0]
    found = evaluate_texts(model, [example])
    with torch.inference_mode():
        trace = model(None, torch.tensor([example.ids[:-1]]))
    for head in found.heads:
        weights = trace.decoder.layers[head.layer].self_attn.weights[0, head.head]
        assert head.previous == pytest.approx(weights.diagonal(-1).mean().item(), abs=1e-6)
    logits = trace.logits[0].double()
    rows = [0, 1, 2]  # row 3 predicts the known token
    losses = [-logits[row].log_softmax(0)[example.ids[row + 1]].item() for row in rows]
    assert found.other_loss == pytest.approx(sum(losses) / 3, abs=1e-5)
    assert evaluate_texts(model_of("encoder"), AROUND).other_loss is None
    with pytest.raises(ValueError, match="predictable words, got none"):
        evaluate_texts(model, [replace(example, known=())])


def test_chance_is_that_of_even_weights():
    def even(weights):
        allowed = torch.ones_like(weights).tril()
        return allowed / allowed.sum(dim=-1, keepdim=True)

    edits = Edits({f"decoder.layers.{i}.self_attn.weights": even for i in range(2)})
    found = evaluate_texts(model_of("decoder"), BEFORE, edits=edits)
    assert [head.looks for head in found.heads] == [pytest.approx(found.chance, abs=1e-6)] * 4
    assert found.chance == pytest.approx((1 / 4 + 1 / 5 + 2 / 6) / 3)


def test_a_perfect_model_and_its_record():
    model = model_of("decoder")
    [row] = BEFORE[:1]

    def sure(logits):
        logits = torch.full_like(logits, -20.0)
        logits[:, :, 5] = 20.0
        return logits

    found = evaluate_texts(model, [row], edits=Edits({"logits": sure}))
    assert (found.right, found.loss) == (1.0, pytest.approx(0.0, abs=1e-6))
    plain = found.to_dict()
    assert plain.keys() == {"texts", "right", "loss", "other_loss", "chance", "kinds", "looks"}
    assert plain["right"] == 1.0
    assert plain["kinds"] == [{"name": "copied", "words": 1, "right": 1.0}]
    assert len(plain["looks"]) == 4
