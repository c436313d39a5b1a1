import math
from dataclasses import replace

import numpy as np
import pytest

from viz.heads.head_summary import METRICS, head_metrics, metrics_by_head, most_read
from viz.heads.head_table import summarise_heads
from viz.run.alignment import gold_links
from viz.run.axes import KINDS, attention_trace

SIZE = 8
EVERYTHING = np.ones((SIZE, SIZE), bool)
CAUSAL = np.tril(EVERYTHING)


def onto(*columns):
    """Put all the weight of row i on columns[i]."""
    weights = np.zeros((len(columns), SIZE), np.float32)
    weights[range(len(columns)), columns] = 1
    return weights


def evenly(mask):
    return (mask / mask.sum(axis=1, keepdims=True)).astype(np.float32)


def describe(weights, mask=EVERYTHING, *, is_cross=False, aligned=None):
    found = head_metrics(weights[None], mask, is_cross=is_cross, aligned=aligned)
    assert list(found) == list(METRICS)
    return {name: values.item() for name, values in found.items()}


def oracle(weights, mask, *, is_cross, aligned):
    """Compute the measures from their definitions, cell by cell, in float64."""
    n, m = weights.shape
    w = weights.astype(np.float64)
    kept = [q for q in range(n) if np.isfinite(w[q]).all() and mask[q].any()]
    choosing = [q for q in kept if mask[q].sum() > 1]

    def mean(values):
        return sum(values) / len(values) if values else math.nan

    entropy = {q: -sum(x * math.log2(x) for x in w[q] if x > 0) for q in kept}
    own = [q * (m - 1) / (n - 1) if is_cross else q for q in range(n)]
    far = {q: sum(w[q, k] * abs(k - own[q]) for k in range(m)) for q in kept}
    near = []
    for q in kept:
        reach = [abs(k - own[q]) for k in range(m) if mask[q, k]]
        if max(reach) > min(reach):
            near.append(1 - (far[q] - min(reach)) / (max(reach) - min(reach)))

    def share(column, known=True):
        cells = [(q, column(q)) for q in choosing if 0 <= column(q) < m and mask[q, column(q)]]
        return mean([w[cell] for cell in cells] if known and len(cells) > len(choosing) / 2 else [])

    linked = [q for q in kept if aligned is not None and aligned[q].any()]
    return {
        "entropy": mean(list(entropy.values())),
        "entropy_share": mean([entropy[q] / math.log2(mask[q].sum()) for q in choosing]),
        "distance": mean(list(far.values())),
        "diagonality": mean(near),
        "previous": share(lambda q: q - 1, not is_cross),
        "same": share(lambda q: q, not is_cross),
        "next": share(lambda q: q + 1, not is_cross),
        "first": share(lambda _: 0),
        "last": share(lambda _: m - 1),
        "gold": mean([float(aligned[q, max(range(m), key=lambda k: w[q, k])]) for q in linked]),
    }


def random_heads(mask, seed, heads=5):
    scores = 3 * np.random.default_rng(seed).standard_normal((heads, *mask.shape))
    powers = np.exp(scores) * mask
    return (powers / powers.sum(axis=-1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (
            onto(0, 1, 2, 3, 4, 5, 6, 7),
            {"entropy": 0, "entropy_share": 0, "distance": 0, "diagonality": 1, "same": 1,
             "previous": 0, "next": 0, "first": 1 / 8, "last": 1 / 8},
        ),
        (
            onto(1, 0, 1, 2, 3, 4, 5, 6),
            {"distance": 1, "previous": 1, "same": 0, "next": 1 / 7},
        ),
        (
            onto(1, 2, 3, 4, 5, 6, 7, 0),
            {"distance": 14 / 8, "next": 1, "same": 0, "previous": 0},
        ),
        (onto(*[7] * 8), {"first": 0, "last": 1, "same": 1 / 8}),
        (
            evenly(EVERYTHING),
            {"entropy": 3, "entropy_share": 1, "same": 1 / 8, "first": 1 / 8, "distance": 2.625},
        ),
        (onto(7, 7, 7, 7, 0, 0, 0, 0), {"entropy": 0, "diagonality": 0, "distance": 5.5}),
    ],
    ids=["identity", "previous", "next", "last", "even", "farthest"],
)  # fmt: skip
def test_numbers_by_hand(weights, expected):
    found = describe(weights)
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-6)
    assert math.isnan(found["gold"])


def test_cross_attention_has_a_diagonal_and_a_gold_alignment():
    mask = np.ones((3, SIZE), bool)
    corners = describe(onto(0, 3, 7), mask, is_cross=True)  # the diagonal is at 0, 3.5, 7
    assert corners["distance"] == pytest.approx(0.5 / 3)
    assert corners["diagonality"] == pytest.approx(1)
    assert all(math.isnan(corners[name]) for name in ("previous", "same", "next", "gold"))
    aligned = onto(0, 5, 1) == 1
    aligned[1, 3] = True  # two source tokens
    aligned[2] = False  # aligned with no token
    crossed = describe(onto(0, 3, 7), mask, is_cross=True, aligned=aligned)
    assert crossed["gold"] == 1
    assert describe(onto(1, 3, 7), mask, is_cross=True, aligned=aligned)["gold"] == 0.5
    assert math.isnan(describe(onto(1, 3, 7), mask, is_cross=True, aligned=mask & False)["gold"])


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("shape", ["square", "causal", "cross", "holes"])
def test_against_loops_in_float64(shape, seed):
    rng = np.random.default_rng(seed)
    is_cross = shape == "cross"
    mask = CAUSAL if shape == "causal" else np.ones((SIZE - 3 * is_cross, SIZE), bool)
    if shape == "holes":
        mask = mask & (rng.random(mask.shape) < 0.6)
        mask[:, 2] = True
    aligned = rng.random(mask.shape) < 0.15 if is_cross else None
    weights = random_heads(mask, seed)
    found = head_metrics(weights, mask, is_cross=is_cross, aligned=aligned)
    for head, each in enumerate(weights):
        expected = oracle(each, mask, is_cross=is_cross, aligned=aligned)
        assert {n: v[head] for n, v in found.items()} == pytest.approx(
            expected, abs=1e-5, nan_ok=True
        )


def test_rows_that_say_nothing_are_left_out():
    mask = EVERYTHING.copy()
    mask[5] = False
    weights = random_heads(EVERYTHING, 4)
    weights[1, 2, 3] = np.nan
    weights[2] = np.nan
    weights[3, 0, 0], weights[3, 0, 1] = np.inf, -np.inf
    found = head_metrics(weights, mask, is_cross=False)
    for head, each in enumerate(weights):
        expected = oracle(each, mask, is_cross=False, aligned=None)
        assert {n: v[head] for n, v in found.items()} == pytest.approx(
            expected, abs=1e-5, nan_ok=True
        )
    assert all(np.isnan(values[2]) for values in found.values())
    counted = np.delete(weights[1], [2, 5], axis=0)
    assert most_read(weights, mask)[1] == counted.sum(axis=0).argmax()


@pytest.mark.parametrize("size", [1, 2])
def test_the_shortest_sequences(size):
    mask = np.tril(np.ones((size, size), bool))
    found = describe(evenly(mask), mask)
    assert found["distance"] == pytest.approx((size - 1) / 4)


def test_one_row_for_every_head_of_a_run(run):
    gold = gold_links(run)
    frame = summarise_heads(run, metrics_by_head(run, gold))
    assert all(names == () for names in frame["roles"])  # no jobs were searched for
    assert frame[["role_rate", "role_chance"]].isna().all(axis=None)
    config = run.info.config
    layers = (config.n_encoder_layers, config.n_decoder_layers, config.n_decoder_layers)
    assert frame["kind"].tolist() == [
        kind for kind, n in zip(KINDS, layers, strict=True) for _ in range(n * config.n_heads)
    ]
    assert not frame.duplicated(["kind", "layer", "head"]).any()
    tables = metrics_by_head(run, gold)
    for row in frame.to_dict("records"):
        kind, layer, head = row["kind"], row["layer"], row["head"]
        attention = attention_trace(run, kind, layer)
        weights = attention.weights[0, head].numpy()
        is_cross = kind == "cross-attention"
        aligned = np.zeros(weights.shape, bool)
        aligned[tuple(np.array(sorted(gold)).T) if is_cross else ([], [])] = True
        expected = oracle(
            weights,
            attention.mask[0].expand(weights.shape).numpy(),
            is_cross=is_cross,
            aligned=aligned if is_cross else None,
        )
        assert {n: row[n] for n in METRICS} == pytest.approx(expected, abs=1e-5, nan_ok=True)
        assert {n: tables[kind][n][layer, head] for n in METRICS} == pytest.approx(
            {n: row[n] for n in METRICS}, nan_ok=True
        )
        position = weights.sum(axis=0).argmax()
        keys = run.target_tokens if kind == "decoder self-attention" else run.source.tokens
        assert (row["most_read_position"], row["most_read"]) == (position, keys[position])
    assert frame.loc[frame["kind"] != "cross-attention", "gold"].isna().all()
    assert summarise_heads(run, metrics_by_head(run, None))["gold"].isna().all()


def test_a_mask_of_its_own_in_each_layer(unmasked_run, run):
    """Without a causal mask a decoder row may read the next token, so this share exists."""
    kind = "decoder self-attention"
    assert not np.isnan(metrics_by_head(unmasked_run, None)[kind]["next"]).any()
    assert np.isnan(metrics_by_head(run, None)[kind]["next"]).all()
    first, *others = run.trace.decoder.layers
    free = unmasked_run.trace.decoder.layers[0].self_attn
    opened = replace(first, self_attn=replace(first.self_attn, mask=free.mask[:, :1]))
    trace = replace(run.trace, decoder=replace(run.trace.decoder, layers=(opened, *others)))
    shares = metrics_by_head(replace(run, trace=trace), None)[kind]["next"]
    assert not np.isnan(shares[0]).any()
    assert np.isnan(shares[1:]).all()
