from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from model.decoder import DecoderCache
from model.decoding.greedy import greedy, sample, score
from model.decoding.steps import DecodingStep, steps_of
from model.edits import NO_EDITS, Edits, OnRows, ablate, scale
from model.presets import PRESETS
from model.traces import named_tensors
from model.transformer import Transformer
from tests.tiny import PAD, tiny_model

BOS, EOS, NEVER = 1, 2, -1
LENGTH = 6
PADDED = torch.tensor([[4, 3, 8, PAD]])
EDITS = Edits(
    {
        "encoder.layers.0.self_attn.heads[1]": ablate,
        "decoder.layers.0.self_attn.key": scale(2.0),
        "decoder.layers.1.cross_attn.value[2]": ablate,
        "logits": scale(1.5),
    }
)


def full_logits(
    model: Transformer, source: Tensor, read: list[int], edits: Edits = NO_EDITS
) -> Tensor:
    """Return logits whose row t predicts the token after read[t] without seeing read[t + 1:]."""
    with torch.inference_mode():
        if model.config.causal_mask:
            return model(source, torch.tensor([read]), edits=edits).logits[0]
        growing = (torch.tensor([read[: n + 1]]) for n in range(len(read)))
        return torch.stack([model(source, ids, edits=edits).logits[0, -1] for ids in growing])


def naive_greedy(
    model: Transformer, source: Tensor, prefix: tuple[int, ...] = (), length: int = LENGTH
) -> list[int]:
    written = list(prefix)
    while len(written) < length and EOS not in written:
        written.append(int(full_logits(model, source, [BOS, *written])[-1].argmax()))
    return written


def tokens(steps) -> list[int]:
    return [step.token for step in steps]


def logits(steps) -> Tensor:
    return torch.stack([step.logits for step in steps])


def make_step(probabilities: list[float], token: int = 0) -> DecodingStep:
    return DecodingStep(
        index=0,
        token=token,
        forced=False,
        row=torch.tensor(probabilities).log(),
        log_probability=0.0,
        entropy=0.0,
        cache_bytes=0,
        cached_positions=0,
    )


@pytest.mark.slow
@pytest.mark.parametrize("edits", [NO_EDITS, EDITS], ids=["plain", "edited"])
@pytest.mark.parametrize("use_cache", [True, False], ids=["cache", "no cache"])
def test_logits_of_each_step_are_those_of_full_passes(
    variant_model: Transformer, use_cache: bool, edits: Edits
):
    model = variant_model
    steps = list(
        greedy(model, PADDED, max_length=LENGTH, eos_id=NEVER, edits=edits, use_cache=use_cache)
    )
    assert len(steps) == LENGTH
    assert_close(logits(steps), full_logits(model, PADDED, [BOS, *tokens(steps)[:-1]], edits))


def in_rows(rows: tuple[int, ...], factor: float) -> Callable[[Tensor], Tensor]:
    """Return an edit that scales some rows, for tensors that begin with the first position."""

    def edit(tensor: Tensor) -> Tensor:
        edited = tensor.clone()
        for row in rows:
            if row < tensor.size(-2):
                edited[..., row, :] *= factor
        return edited

    return edit


ON_ROWS = {
    "source_embedding.output": (1,),
    "encoder.layers.1.self_attn.scores[2]": (2,),
    "decoder.layers.0.cross_attn.value": (0, 2),  # rows of the source
    "decoder.layers.0.self_attn.key[1]": (1,),
    "target_embedding.output": (0, 3),
    "decoder.layers.0.self_attn.weights": (2, 4),
    "decoder.layers.1.cross_attn.scores[0]": (3,),
    "decoder.layers.1.cross_attn.heads[3]": (1, 2),
    "decoder.layers.1.output": (4, 99),
    "logits": (0, 5),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ON_ROWS)
@pytest.mark.parametrize("variant", ["paper", "headlist"], ids=["cache", "no cache"])
def test_an_edit_of_rows_finds_them_in_every_pass(variant: str, name: str):
    model, rows = tiny_model(variant), ON_ROWS[name]
    edits = Edits({name: OnRows(rows, scale(-3.0))})
    steps = list(greedy(model, PADDED, max_length=LENGTH, eos_id=NEVER, edits=edits))
    read = [BOS, *tokens(steps)[:-1]]
    plain = Edits({name: in_rows(rows, -3.0)})
    assert_close(logits(steps), full_logits(model, PADDED, read, plain))
    assert not torch.equal(logits(steps), full_logits(model, PADDED, read))


def test_padding_that_was_written_is_masked_as_in_a_full_pass(variant_model: Transformer):
    prefix = (5, PAD, 6, PAD)
    steps = list(greedy(variant_model, PADDED, max_length=LENGTH, eos_id=NEVER, prefix=prefix))
    read = [BOS, *tokens(steps)[:-1]]
    assert_close(logits(steps), full_logits(variant_model, PADDED, read))


def recorder(seen: list[Tensor]) -> Callable[[Tensor], Tensor]:
    def record(tensor: Tensor) -> Tensor:
        seen.append(tensor)
        return tensor

    return record


@pytest.mark.parametrize("prefix", [(), (7, 3, 3)], ids=str)
def test_greedy_writes_what_full_passes_would(variant_model: Transformer, prefix: tuple[int, ...]):
    steps = list(greedy(variant_model, PADDED, max_length=LENGTH, prefix=prefix))
    assert tokens(steps) == naive_greedy(variant_model, PADDED, prefix)
    assert [s.index for s in steps] == list(range(len(steps)))
    assert [s.forced for s in steps] == [i < len(prefix) for i in range(len(steps))]
    assert all(s.forced or s.rank == 0 for s in steps)


def test_greedy_ends_after_the_end_token(model: Transformer):
    written = tokens(greedy(model, PADDED, max_length=LENGTH, eos_id=NEVER))
    end = written[3]
    steps = list(greedy(model, PADDED, max_length=LENGTH, eos_id=end))
    assert tokens(steps) == written[: written.index(end) + 1]


def test_a_forced_end_token_ends_the_decoding(variant_model: Transformer):
    steps = list(greedy(variant_model, PADDED, max_length=LENGTH, prefix=(5, EOS, 6)))
    assert tokens(steps) == [5, EOS]
    assert_close(logits(steps), full_logits(variant_model, PADDED, [BOS, 5]))


def test_a_step_is_computed_when_it_is_asked_for(model: Transformer):
    seen: list[Tensor] = []
    edits = Edits({"decoder.output": recorder(seen)})
    steps = greedy(model, PADDED, eos_id=NEVER, edits=edits)
    assert len(seen) == 0
    for n in range(1, 4):
        next(steps)
        assert len(seen) == n
    score(model, PADDED, [5, 6, 3, EOS], edits=edits)
    assert len(seen) == 4, "a text that is known takes one pass"


def test_log_probability_and_entropy_are_those_of_the_softmax(model: Transformer):
    for step in greedy(model, PADDED, max_length=LENGTH, prefix=(5, 6)):
        distribution = torch.distributions.Categorical(logits=step.logits)
        expected = distribution.log_prob(torch.tensor(step.token)).item()
        assert step.log_probability == pytest.approx(expected, abs=1e-5)
        assert step.entropy == pytest.approx(distribution.entropy().item(), abs=1e-5)
        assert_close(step.probabilities, distribution.probs)
        assert 0 < step.entropy < 2.3  # not flat, so that the tests can tell tokens apart


def test_candidates_are_ranked_and_equals_keep_their_order():
    step = make_step([0.1, 0.3, 0.1, 0.4, 0.1])
    best = step.candidates(4)
    assert [c.token for c in best] == [3, 1, 0, 2]
    assert [c.rank for c in best] == [0, 1, 2, 3]
    assert [c.probability for c in best] == pytest.approx([0.4, 0.3, 0.1, 0.1])
    assert best[1].log_probability == pytest.approx(torch.tensor(0.3).log().item())
    assert [make_step([0.1, 0.3, 0.1, 0.4, 0.1], c.token).rank for c in best] == [0, 1, 2, 3]
    assert len(step.candidates()) == 5
    with pytest.raises(ValueError, match="n must be at least 1, got 0"):
        step.candidates(0)


def test_a_cache_grows_by_one_position_a_step_where_there_may_be_one(model: Transformer):
    config = model.config
    a_position = config.n_heads * (config.d_k + config.d_v) * 4 * config.n_decoder_layers
    steps = list(greedy(model, PADDED, max_length=6, eos_id=NEVER))
    assert [s.cached_positions for s in steps] == [0, 1, 2, 3, 4, 5]
    source = PADDED.size(1)
    assert [s.cache_bytes for s in steps] == [0, *((source + n) * a_position for n in range(1, 6))]
    steps = greedy(model, PADDED, max_length=6, eos_id=NEVER, prefix=(5, 6))
    assert [s.cached_positions for s in steps] == [0, 0, 0, 3, 4, 5]
    for decoder, use_cache in ((tiny_model("headlist"), True), (model, False)):
        steps = greedy(decoder, PADDED, max_length=3, eos_id=NEVER, use_cache=use_cache)
        assert {(s.cached_positions, s.cache_bytes) for s in steps} == {(0, 0)}


def test_a_cache_can_be_gone_on_from_twice(model: Transformer):
    with torch.inference_mode():
        _, encoder = model.encode(PADDED)
        mask = model.source_mask(PADDED)
        _, decoder = model.decode(torch.tensor([[BOS, 5]]), encoder.output, source_mask=mask)
        cache = DecoderCache.of(decoder)
        before = [t.clone() for pair in cache.self_attn + cache.cross_attn for t in pair]

        def go_on(token: int) -> Tensor:
            ids = torch.tensor([[BOS, 5, token]])
            return model.decode(ids, None, source_mask=mask, cache=cache)[1].output

        first, other, again = go_on(6), go_on(7), go_on(6)
    assert_close(first, again, rtol=0, atol=0)
    assert not torch.allclose(first, other)
    after = [t for pair in cache.self_attn + cache.cross_attn for t in pair]
    assert_close(after, before, rtol=0, atol=0)
    assert cache.length == 2


def test_a_target_that_a_cache_holds_already_leaves_nothing_to_decode(model: Transformer):
    with torch.inference_mode():
        _, encoder = model.encode(PADDED)
        mask, ids = model.source_mask(PADDED), torch.tensor([[BOS, 5]])
        _, decoder = model.decode(ids, encoder.output, source_mask=mask)
        with pytest.raises(ValueError, match="longer than the 2 positions in the cache, got 2"):
            model.decode(ids, None, source_mask=mask, cache=DecoderCache.of(decoder))


@pytest.mark.parametrize("target", [[5], [5, 6, 3, EOS], [EOS, 5]], ids=str)
def test_score_is_the_log_softmax_of_full_passes(variant_model: Transformer, target: list[int]):
    steps = score(variant_model, PADDED, target)
    expected = full_logits(variant_model, PADDED, [BOS, *target[:-1]])
    assert tokens(steps) == target
    assert all(s.forced for s in steps)
    assert_close(logits(steps), expected)
    log_probabilities = expected.log_softmax(dim=-1)[range(len(target)), target]
    assert [s.log_probability for s in steps] == pytest.approx(log_probabilities.tolist(), abs=1e-5)
    better = (expected > expected[range(len(target)), target].unsqueeze(1)).sum(dim=1)
    assert [s.rank for s in steps] == better.tolist()


def test_the_steps_of_known_logits_are_those_of_score(model: Transformer):
    ids = [5, 6, 3, EOS]
    logits = model(PADDED, torch.tensor([[1, *ids[:-1]]])).logits[0]
    for known, scored in zip(steps_of(logits, ids), score(model, PADDED, ids), strict=True):
        assert (known.index, known.token, known.forced) == (scored.index, scored.token, True)
        assert known.log_probability == pytest.approx(scored.log_probability, abs=1e-5)
        assert known.entropy == pytest.approx(scored.entropy, abs=1e-5)
        torch.testing.assert_close(known.logits, scored.logits)


def test_a_sample_goes_on_from_its_own_beginning(model: Transformer):
    def write(prefix: list[int]) -> list[int]:
        return tokens(sample(model, PADDED, max_length=LENGTH, eos_id=NEVER, prefix=prefix, seed=5))

    whole = write([])
    assert all(write(whole[:n]) == whole for n in range(LENGTH))


def test_a_sample_has_a_generator_of_its_own(model: Transformer):
    def start(seed: int):
        return sample(model, PADDED, max_length=LENGTH, eos_id=NEVER, seed=seed)

    state = torch.get_rng_state()
    pairs = list(zip(start(0), start(1), strict=True))
    assert tokens(a for a, _ in pairs) == tokens(start(0))
    assert tokens(b for _, b in pairs) == tokens(start(1))
    assert len({tuple(tokens(start(seed))) for seed in range(4)}) > 2
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize(
    "settings", [{"temperature": 1e-4}, {"top_k": 1}, {"top_p": 1e-9}], ids=str
)
def test_sampling_from_one_token_is_greedy(model: Transformer, settings: dict):
    drawn = tokens(sample(model, PADDED, max_length=LENGTH, eos_id=NEVER, **settings))
    assert drawn == tokens(greedy(model, PADDED, max_length=LENGTH, eos_id=NEVER))


def test_a_sample_keeps_the_logits_before_the_temperature(model: Transformer):
    steps = list(sample(model, PADDED, max_length=LENGTH, eos_id=NEVER, temperature=3.0, top_k=4))
    assert_close(logits(steps), full_logits(model, PADDED, [BOS, *tokens(steps)[:-1]]))
    assert all(s.rank < 4 for s in steps)


@pytest.mark.parametrize("decode", [greedy, sample])
def test_inference_mode_does_not_leak_between_steps(model: Transformer, decode: Callable):
    weight = torch.ones(1, requires_grad=True)
    for step in decode(model, PADDED, max_length=3, eos_id=NEVER):
        assert not torch.is_inference_mode_enabled()
        assert torch.is_grad_enabled()
        assert not step.logits.requires_grad
        (weight * step.log_probability).backward()
    assert not torch.is_inference_mode_enabled()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"source": torch.tensor([[3, 4], [4, 3]])}, "one sentence, got a batch of 2"),
        ({"source": torch.zeros(1, 0, dtype=torch.long)}, r"that is not padding, got \[\]"),
        ({"source": torch.tensor([[PAD, PAD]])}, r"that is not padding, got \[0, 0\]"),
        ({"source": torch.tensor([[3, 11]])}, r"source must be ids from 0 to 10, got \[11\]"),
        ({"prefix": (5, 11, -1)}, r"prefix must be ids from 0 to 10, got \[11, -1\]"),
        ({"bos_id": 11}, r"bos_id and prefix must be ids from 0 to 10, got \[11\]"),
        ({"bos_id": PAD}, "bos_id must not be the padding id, which is masked: 0"),
        ({"max_length": 0}, "max_length must be at least 1, got 0"),
        ({"prefix": (5, 6), "max_length": 2}, "shorter than max_length, got 2 ids and 2"),
        ({"edits": Edits({"decoder.nothing": ablate})}, "no tensor is called"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else value,
)
def test_what_cannot_be_decoded_is_refused_at_once(model: Transformer, changes: dict, message: str):
    with pytest.raises(ValueError, match=message):
        greedy(model, **({"source": PADDED} | changes))


def test_samples_scores_and_learned_positions_have_their_bounds(model: Transformer):
    with pytest.raises(ValueError, match="temperature must be above 0, got 0"):
        sample(model, PADDED, temperature=0.0)
    with pytest.raises(ValueError, match="at least one id, got none"):
        score(model, PADDED, [])
    learned = tiny_model(positions="learned", max_length=4)
    assert len(list(greedy(learned, PADDED, max_length=4, eos_id=NEVER))) == 4
    with pytest.raises(ValueError, match="at most 4, the positions that were learned, got 5"):
        sample(learned, PADDED, max_length=5)


def test_a_target_may_begin_with_the_padding_id_where_that_is_read():
    model = tiny_model(target_padding_mask=False)
    steps = list(greedy(model, PADDED, max_length=4, bos_id=PAD, eos_id=NEVER))
    target = torch.tensor([[PAD, *(step.token for step in steps[:-1])]])
    logits = model(PADDED, target).logits.detach()
    assert_close(torch.stack([step.logits for step in steps]), logits[0])


@pytest.mark.parametrize("variant", PRESETS)
def test_a_source_that_was_read_before_is_not_read_again(variant, monkeypatch):
    model = tiny_model(variant)
    expected = list(greedy(model, PADDED, edits=EDITS, max_length=LENGTH))
    with torch.inference_mode():
        whole = model(PADDED, torch.tensor([[BOS, *tokens(expected)[:-1]]]), edits=EDITS)
        encoded = model.encode(PADDED, edits=EDITS)
        monkeypatch.delattr(Transformer, "encode")
        steps = list(greedy(model, PADDED, edits=EDITS, max_length=LENGTH, encoded=encoded))
        read = torch.tensor([[BOS, *tokens(steps)[:-1]]])
        trace = model(PADDED, read, edits=EDITS, encoded=encoded)
    assert logits(steps).equal(logits(expected))
    found, known = dict(named_tensors(trace)), dict(named_tensors(whole))
    assert found.keys() == known.keys()
    assert [name for name in known if not known[name].equal(found[name])] == []
