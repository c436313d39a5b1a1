import pytest
import torch

from model.decoding.greedy import greedy
from model.presets import PRESETS
from model.text.corpus import Example
from model.training.evaluation import evaluate, greedy_batch
from tests.tiny import tiny_model

SOURCES = [(4, 5, 6, 2), (6, 4, 4, 2), (5, 5, 5, 2)]


@pytest.mark.parametrize("variant", PRESETS)
def test_a_batch_decodes_as_its_rows_do_alone(variant: str):
    model = tiny_model(variant)
    together = greedy_batch(model, torch.tensor(SOURCES), max_length=8)
    alone = [
        tuple(step.token for step in greedy(model, torch.tensor([source]), max_length=8))
        for source in SOURCES
    ]
    assert together == alone


@pytest.mark.parametrize(("begin", "end"), [(7, 5), (3, 2), (4, None)])
def test_a_text_begins_and_ends_with_the_ids_of_its_model(begin: int, end: int | None):
    model = tiny_model()
    together = greedy_batch(model, torch.tensor(SOURCES), max_length=8, bos_id=begin, eos_id=end)
    ends = -1 if end is None else end
    for source, ids in zip(SOURCES, together, strict=True):
        alone = greedy(model, torch.tensor([source]), max_length=8, bos_id=begin, eos_id=ends)
        assert ids == tuple(step.token for step in alone)


def test_learned_positions_end_all_texts():
    model = tiny_model(positions="learned", max_length=4)
    together = greedy_batch(model, torch.tensor(SOURCES), max_length=8, eos_id=None)
    for source, ids in zip(SOURCES, together, strict=True):
        alone = greedy(model, torch.tensor([source]), max_length=4, eos_id=-1)
        assert ids == tuple(step.token for step in alone)


def test_exact_match_loss_and_heads_against_a_plain_count():
    model = tiny_model()
    written = [(1, *ids) for ids in greedy_batch(model, torch.tensor(SOURCES), max_length=8)]
    wrong = (*written[0][:-1], 7, 2)
    gold = {(0, 1), (2, 1), (1, 2)}
    examples = [
        Example(source, target, alignment=frozenset(gold), scored=frozenset({2}))
        for source, target in zip(SOURCES, [wrong, *written[1:]], strict=True)
    ]
    result = evaluate(model, examples, max_length=8)

    assert result.exact_match == pytest.approx(2 / 3)
    assert result.chance == pytest.approx((2 / 4 + 1 / 4) / 2)
    losses, hits, content_hits = [], 0, 0
    head = result.heads[0]
    for example in examples:
        with torch.inference_mode():
            trace = model(torch.tensor([example.source]), torch.tensor([example.target[:-1]]))
        log_p = trace.logits[0].double().log_softmax(-1)
        losses += [-log_p[i, token].item() for i, token in enumerate(example.target[1:])]
        weights = trace.decoder.layers[head.layer].cross_attn.weights[0, head.head]
        hits += weights[0].argmax().item() in (0, 2)
        hits += weights[1].argmax().item() == 1
        content_hits += weights[1].argmax().item() == 1
    assert result.loss == pytest.approx(sum(losses) / len(losses), rel=1e-5)
    assert head.all_tokens == pytest.approx(hits / 6)
    assert head.content_words == pytest.approx(content_hits / 3)
    plain = result.to_dict()
    assert plain.keys() == {"sentences", "exact_match", "loss", "chance", "heads", "best_head"}
    assert plain["best_head"] == plain["heads"][0]
    assert plain["best_head"]["all_tokens"] == round(head.all_tokens, 4)
    assert [h.all_tokens for h in result.heads] == sorted(
        (h.all_tokens for h in result.heads), reverse=True
    )


def test_without_gold_alignments_no_head_is_scored_and_without_examples_nothing():
    result = evaluate(tiny_model(), [Example((4, 2), (1, 5, 2))], max_length=4)
    assert (result.heads, result.to_dict()["best_head"]) == ((), None)
    model = tiny_model().train()
    with pytest.raises(ValueError, match="an evaluation needs at least 1 example, got 0"):
        evaluate(model, [])
    assert model.training
