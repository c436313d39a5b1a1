import itertools
import math
from functools import cache

import pytest
import torch
from torch import Tensor

from model.decoding.beam import BeamStep, Hypothesis, beam, best, best_hypothesis, path
from model.decoding.greedy import greedy, score
from model.edits import Edits
from model.transformer import Transformer
from tests.tiny import PAD, shaken, tiny_config

BOS, EOS, NEVER = 1, 2, -1
VOCAB = 5
LENGTH = 4
SOURCE = torch.tensor([[3, 4, 3, PAD]])
PENALTIES = [0.0, 0.6, 1.0, 3.0, -1.0]


@cache
def small_model(variant: str, seed: int) -> Transformer:
    sizes = {"source_vocab_size": VOCAB, "target_vocab_size": VOCAB}
    torch.manual_seed(seed)
    return shaken(Transformer(tiny_config(variant, **sizes, n_decoder_layers=2)))


def log_probabilities(model: Transformer, written: list[tuple[int, ...]]) -> Tensor:
    """Return the next token's log-probabilities for each prefix (all of one length), uncached."""
    source = SOURCE.expand(len(written), -1)
    with torch.inference_mode():
        logits = model(source, torch.tensor([[BOS, *tokens] for tokens in written])).logits
    return logits[:, -1].double().log_softmax(dim=-1)


@cache
def every_sentence(variant: str, seed: int) -> dict[tuple[int, ...], float]:
    """Return each sequence that ends within `LENGTH` tokens, with its total log-probability."""
    model = small_model(variant, seed)
    inner = [token for token in range(VOCAB) if token != EOS]
    totals = {(): 0.0}
    sentences = {}
    for _ in range(LENGTH):
        following = log_probabilities(model, list(totals)).tolist()
        longer = {
            (*tokens, token): total + row[token]
            for (tokens, total), row in zip(totals.items(), following, strict=True)
            for token in range(VOCAB)
        }
        sentences |= {tokens: total for tokens, total in longer.items() if tokens[-1] == EOS}
        totals = {tokens: total for tokens, total in longer.items() if tokens[-1] in inner}
    assert len(sentences) == sum(4**n for n in range(LENGTH))
    return sentences


def naive_beam(
    model: Transformer, width: int, alpha: float, length: int
) -> tuple[list[set[tuple[int, ...]]], tuple[int, ...]]:
    """Return what each step keeps and the best sentence, without a cache or an early stop."""
    live = {(): 0.0}
    finished: dict[tuple[int, ...], float] = {}
    kept = []
    for _ in range(length):
        if not live:
            break
        following = log_probabilities(model, list(live)).tolist()
        expansions = [
            ((*tokens, token), total + row[token])
            for (tokens, total), row in zip(live.items(), following, strict=True)
            for token in range(VOCAB)
        ]
        chosen = sorted(expansions, key=lambda e: -e[1])[:width]
        kept.append({tokens for tokens, _ in chosen})
        finished |= {tokens: total for tokens, total in chosen if tokens[-1] == EOS}
        live = {tokens: total for tokens, total in chosen if tokens[-1] != EOS}
    candidates = finished or live
    return kept, max(candidates, key=lambda t: candidates[t] / ((5 + len(t)) / 6) ** alpha)


def by_id(steps: list[BeamStep]) -> dict[int, Hypothesis]:
    return {h.id: h for step in steps for h in step.hypotheses}


@pytest.mark.parametrize(("variant", "seed"), [("paper", 0), ("paper", 1), ("headlist", 2)])
def test_full_width_finds_the_best_of_all_sentences(variant: str, seed: int):
    sentences, found = every_sentence(variant, seed), set()
    for alpha in PENALTIES:
        expected = max(sentences, key=lambda s: sentences[s] / ((5 + len(s)) / 6) ** alpha)
        options = {"length_penalty": alpha, "max_length": LENGTH}
        steps = list(beam(small_model(variant, seed), SOURCE, width=VOCAB**LENGTH, **options))
        assert best(steps) == expected
        found.add(expected)
        assert best_hypothesis(steps).total == pytest.approx(sentences[expected], abs=1e-5)
    assert len(found) > 1, "the penalties are not told apart"


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("alpha", PENALTIES)
def test_steps_and_result_are_those_of_a_naive_search_that_never_stops_early(
    width: int, alpha: float
):
    for seed, length in itertools.product(range(2), (1, 5)):
        model = small_model("paper", seed)
        kept, expected = naive_beam(model, width, alpha, length)
        steps = list(beam(model, SOURCE, width=width, length_penalty=alpha, max_length=length))
        assert best(steps) == expected
        assert len(steps) <= len(kept)
        for step, paths in zip(steps, kept, strict=False):
            assert {path(steps, h.id) for h in step.hypotheses if h.kept} == paths


def scripted(*steps: dict[int, float]) -> Edits:
    """Replace the model's predictions by the given probabilities of tokens at each step."""
    remaining = iter(steps)

    def replace(logits: Tensor) -> Tensor:
        row = torch.full((logits.size(-1),), 1e-9)
        for token, probability in next(remaining).items():
            row[token] = probability
        return row.log().expand_as(logits)

    return Edits({"logits": replace})


@pytest.mark.parametrize(
    ("alpha", "steps", "expected"),
    [
        # -0.92 at once; -1.20 continues for free, and -1.20 / (11 / 6) is the better score.
        (1.0, [{EOS: 0.4, 3: 0.3}, *[{4: 1.0}] * 4, {EOS: 1.0}], (3, 4, 4, 4, 4, EOS)),
        # -1.39 at once; -0.51 gets worse as it grows, but ends in time at -0.51 * (7 / 6).
        (-1.0, [{EOS: 0.25, 3: 0.6}, {EOS: 1.0}], (3, EOS)),
    ],
    ids=["a growing penalty", "a shrinking penalty"],
)
def test_a_worse_hypothesis_that_may_still_win_is_waited_for(
    model: Transformer, alpha: float, steps: list[dict[int, float]], expected: tuple[int, ...]
):
    options = {"length_penalty": alpha, "max_length": 6 if alpha > 0 else 20}
    search = beam(model, SOURCE, width=2, edits=scripted(*steps), **options)
    assert best(list(itertools.islice(search, len(steps)))) == expected


def test_the_search_ends_when_nothing_can_win_any_more(model: Transformer):
    edits = scripted({EOS: 0.9, 3: 0.05, 4: 0.05})
    steps = list(beam(model, SOURCE, width=3, max_length=6, edits=edits))
    assert best(steps) == (EOS,)
    assert len(steps) == 1


@pytest.mark.slow
@pytest.mark.parametrize("use_cache", [True, False])
def test_width_one_is_greedy(variant_model: Transformer, use_cache: bool):
    for eos_id, prefix in ((EOS, (5, 3)), (6, ()), (NEVER, ()), (EOS, (5, EOS, 6))):
        ends = {"eos_id": eos_id, "prefix": prefix, "max_length": 5}
        steps = list(beam(variant_model, SOURCE, width=1, use_cache=use_cache, **ends))
        assert list(best(steps)) == [s.token for s in greedy(variant_model, SOURCE, **ends)]


def test_totals_are_sums_along_the_path_and_those_of_full_passes(variant_model: Transformer):
    steps = list(beam(variant_model, SOURCE, width=3, max_length=4, prefix=(5,)))
    nodes = by_id(steps)
    for hypothesis in nodes.values():
        before = nodes[hypothesis.parent].total if hypothesis.parent is not None else 0.0
        assert hypothesis.total == before + hypothesis.log_probability
        length = hypothesis.index + 1
        assert len(path(steps, hypothesis.id)) == length
        assert hypothesis.score == pytest.approx(hypothesis.total / ((5 + length) / 6) ** 0.6)
    for hypothesis in steps[-1].hypotheses[:3]:
        scored = score(variant_model, SOURCE, path(steps, hypothesis.id))
        total = sum(step.log_probability for step in scored)
        assert hypothesis.total == pytest.approx(total, abs=1e-4)


@pytest.mark.parametrize("width", [4, 20])
def test_what_is_kept_and_pruned_adds_up(model: Transformer, width: int):
    steps = list(beam(model, SOURCE, width=width, max_length=4, eos_id=6))
    vocabulary = model.config.target_vocab_size
    live: list[int | None] = [None]
    for index, step in enumerate(steps):
        kept = [h for h in step.hypotheses if h.kept]
        assert step.index == index
        assert {h.index for h in step.hypotheses} == {index}
        assert len(kept) == min(width, len(live) * vocabulary)
        assert kept == list(step.hypotheses[: len(kept)])
        assert [h.total for h in step.hypotheses] == sorted(
            (h.total for h in step.hypotheses), reverse=True
        )
        assert {h.parent for h in step.hypotheses} <= set(live)
        assert all(h.finished == (h.token == 6) for h in step.hypotheses)
        everything = len(live) * vocabulary
        assert len(step.hypotheses) == (
            everything if width >= vocabulary else min(2 * width, everything)
        )
        live = [h.id for h in kept if not h.finished]
    ids = [h.id for step in steps for h in step.hypotheses]
    assert ids == list(range(len(ids)))


def test_forced_tokens_are_one_hypothesis_each(variant_model: Transformer):
    steps = list(beam(variant_model, SOURCE, prefix=(5, 3), max_length=5))
    forced = [step.hypotheses for step in steps[:2]]
    assert [[h.token for h in hypotheses] for hypotheses in forced] == [[5], [3]]
    assert all(h.kept for hypotheses in forced for h in hypotheses)
    assert best(steps)[:2] == (5, 3)
    scored = score(variant_model, SOURCE, (5, 3))
    assert forced[1][0].total == pytest.approx(sum(s.log_probability for s in scored), abs=1e-5)
    assert {h.parent for h in steps[2].hypotheses} == {forced[1][0].id}


def test_an_impossible_token_is_not_kept(model: Transformer):
    def forbid(logits: Tensor) -> Tensor:
        return logits.index_fill(-1, torch.tensor([EOS, 4, 5, 6, 7, 8, 9, 10]), -torch.inf)

    edits = Edits({"logits": forbid})
    steps = list(beam(model, SOURCE, width=5, max_length=4, edits=edits))
    assert len([h for h in steps[0].hypotheses if h.kept]) == 3
    assert all(h.total > -math.inf for step in steps for h in step.hypotheses if h.kept)
    assert not best_hypothesis(steps).finished
    assert len(best(steps)) == 4


def test_all_live_hypotheses_are_one_batch_and_computed_when_asked_for(model: Transformer):
    batches: list[torch.Size] = []

    def record(tensor: Tensor) -> Tensor:
        batches.append(tensor.shape)
        return tensor

    steps = beam(model, SOURCE, width=3, eos_id=NEVER, edits=Edits({"decoder.output": record}))
    for n in range(1, 5):
        next(steps)
        assert not torch.is_inference_mode_enabled()
        assert batches == [(1, 1, 16), (3, 1, 16), (3, 1, 16), (3, 1, 16)][:n]


def test_wrong_requests_are_refused_at_once(model: Transformer):
    with pytest.raises(ValueError, match="width must be at least 1, got 0"):
        beam(model, SOURCE, width=0)
    with pytest.raises(ValueError, match="shorter than max_length, got 2 ids and 2"):
        beam(model, SOURCE, prefix=(5, 6), max_length=2)
    steps = list(beam(model, SOURCE, max_length=1))
    with pytest.raises(ValueError, match="hypothesis 99 is not among the 8 of these steps"):
        path(steps, 99)
    with pytest.raises(ValueError, match="no hypothesis was kept"):
        best(())


def test_a_prompt_counts_for_neither_the_total_nor_the_length():
    config = {"source_vocab_size": 0, "n_encoder_layers": 0, "target_vocab_size": VOCAB}
    torch.manual_seed(1)
    model = shaken(Transformer(tiny_config("paper", **config, n_decoder_layers=2)))
    prompt = (3, 4)
    with torch.inference_mode():
        first = model(None, torch.tensor([[BOS, *prompt]])).logits[0, -1]
        both = model(None, torch.tensor([[BOS, *prompt, a] for a in range(VOCAB)])).logits[:, -1]
    logs = [x.double().log_softmax(-1) for x in (first, both)]
    totals = (logs[0][:, None] + logs[1]).flatten()
    ends = {"max_length": 4, "prefix": prompt, "prompt": 2, "eos_id": NEVER}
    found = tuple(beam(model, None, width=VOCAB**2, length_penalty=0.6, **ends))
    best_one = best_hypothesis(found)
    assert path(found, best_one.id) == (*prompt, *divmod(int(totals.argmax()), VOCAB))
    assert best_one.total == pytest.approx(totals.max().item(), abs=1e-5)
    assert best_one.score == pytest.approx(best_one.total / ((5 + 2) / 6) ** 0.6)
