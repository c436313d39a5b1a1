"""The model's JavaScript twin writes the same tokens as PyTorch, with the same numbers."""

import dataclasses
import functools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint_files import read_info
from model.config import TransformerConfig
from model.decoding.greedy import greedy, score
from model.edits import NO_EDITS
from model.interventions.kinds import Intervention, edits_of
from model.tensor_names import tensor_names
from model.text.tokenizer import BOS_ID
from model.traces import TransformerTrace, find_tensor
from sample_data.tasks import load_held_out
from tests.checkpoints import SHIPPED, VARIANTS, load_shipped
from tests.node import told_by
from tests.tiny import tiny_config

SCRIPT = Path(__file__).with_name("translate.js")
MOST_OFF = 1e-4
LONGEST = 64
MAIN = "everyday-paper-0"
NAMES = sorted(
    path.stem
    for path in SHIPPED.glob("*.safetensors")
    if read_info(path.with_suffix("")).config.has_cross_attention
)
"""The shipped translators; `test_twin_anatomies` tests the other kinds."""
CHANGED = (MAIN, VARIANTS["headlist"], VARIANTS["prenorm"])
"""Checkpoints for one change each: norm before or after, with and without a causal mask."""
KINDS = ("point", "paint", "cut", "zero", "scale", "set", "skip", "patch")


class Case(NamedTuple):
    source: tuple[int, ...]
    interventions: tuple[Intervention, ...] = ()
    given: tuple[int, ...] = ()


class Told(NamedTuple):
    ids: tuple[int, ...]
    probabilities: np.ndarray
    logits: np.ndarray
    weights: dict[str, np.ndarray]
    tensors: dict[str, np.ndarray]
    """All tensors of one pass over the finished target except the logits."""


def sentences(name: str, count: int) -> list[tuple[int, ...]]:
    checkpoint = load_shipped(name)
    pairs = load_held_out(checkpoint.info.task)[:count]
    return [checkpoint.info.tokenizers.encode_source(pair.source).ids for pair in pairs]


def told_by_twin(
    name: str, config: TransformerConfig, cases: Sequence[Case], folder: Path, *, kernel: bool
):
    asked = {
        "kernel": kernel,
        "checkpoint": str(SHIPPED / name),
        "numbersAt": str(folder / "told.f32"),
        "cases": [
            {
                "source": case.source,
                "interventions": [dataclasses.asdict(made) for made in case.interventions],
                "longest": LONGEST,
                "given": case.given,
            }
            for case in cases
        ],
    }
    told = told_by(SCRIPT, asked)
    numbers = np.fromfile(folder / "told.f32", dtype="<f4")
    return list(_read(told, numbers, config))


def _read(
    cases: list[dict[str, Any]], numbers: np.ndarray, config: TransformerConfig
) -> Iterator[Told]:
    at = 0

    def take(*shape: int) -> np.ndarray:
        nonlocal at
        at += int(np.prod(shape))
        return numbers[at - int(np.prod(shape)) : at].reshape(shape)

    for case in cases:
        ids = tuple(case["ids"])
        logits = take(len(ids), config.target_vocab_size)
        weights = {name: take(*shape) for name, *shape in case["shapes"]}
        tensors = {name: take(*shape) for name, *shape in case["traced"]}
        yield Told(ids, np.array(case["probabilities"]), logits, weights, tensors)
    assert at == len(numbers)


@functools.cache
@torch.inference_mode()
def told_by_torch(name: str, case: Case) -> tuple[Told, TransformerTrace]:
    checkpoint = load_shipped(name)
    model, source = checkpoint.model, torch.tensor([case.source])
    edits = NO_EDITS
    if case.interventions:
        _, before = told_by_torch(name, case._replace(interventions=()))
        edits = edits_of(
            case.interventions, model, lambda _made, tensor: find_tensor(before, tensor)
        )
    if case.given:
        steps = score(model, source, case.given, edits=edits)
    else:
        steps = tuple(greedy(model, source, max_length=LONGEST, edits=edits))
    ids = tuple(step.token for step in steps)
    trace = model(source, torch.tensor([(BOS_ID, *ids[:-1])]), edits=edits)
    names = set(tensor_names(checkpoint.info.config)) - {"logits", "output"}
    tensors = {name: own_numbers(find_tensor(trace, name)) for name in names}
    weights = {name: tensors[name] for name in names if name.endswith(".weights")}
    logits = torch.stack([step.logits for step in steps])
    probabilities = logits.double().softmax(dim=-1)[range(len(ids)), ids]
    return Told(ids, probabilities.numpy(), logits.numpy(), weights, tensors), trace


def own_numbers(tensor: torch.Tensor) -> np.ndarray:
    """Return the numbers of the batch's only text, with an axis of heads."""
    own = tensor if tensor.ndim == 2 else tensor[0]
    return (own if own.ndim == 3 else own[None]).float().numpy()


def check(name: str, cases: Sequence[Case], folder: Path, *, kernel: bool = True) -> list[Told]:
    config = load_shipped(name).info.config
    told = told_by_twin(name, config, cases, folder, kernel=kernel)
    for case, ours in zip(cases, told, strict=True):
        theirs, _ = told_by_torch(name, case)
        assert ours.ids == theirs.ids, case
        np.testing.assert_allclose(ours.logits, theirs.logits, atol=MOST_OFF, rtol=0)
        np.testing.assert_allclose(ours.probabilities, theirs.probabilities, atol=MOST_OFF)
        for own, wanted in ((ours.weights, theirs.weights), (ours.tensors, theirs.tensors)):
            assert own.keys() == wanted.keys()
            for tensor, numbers in own.items():
                held = np.broadcast_to(wanted[tensor], numbers.shape)
                np.testing.assert_allclose(
                    numbers, held, atol=MOST_OFF, rtol=1e-5, err_msg=f"{tensor} {case}"
                )
    return told


def drawn(
    generator: random.Random, kind: str, config: TransformerConfig, length: int
) -> Intervention:
    """Draw a change of a kind at a random place."""
    attention = generator.choice(
        [
            "encoder.layers.{}.self_attn",
            "decoder.layers.{}.self_attn",
            "decoder.layers.{}.cross_attn",
        ]
    )
    layers = config.n_encoder_layers if attention[0] == "e" else config.n_decoder_layers
    attention = attention.format(generator.choice(["*", *range(layers)]))
    row = generator.randrange(6)
    keys = row + 1 if "decoder" in attention and "self" in attention else length  # readable keys
    column = generator.randrange(keys)
    head = generator.choice([None, *range(config.n_heads)])
    weights = f"{attention}.weights"
    match kind:
        case "point":
            return Intervention(
                "point", weights, head, (row,), (column,), generator.choice([0.3, 0.8, 1.0])
            )
        case "paint":
            values = tuple(generator.random() for _ in range(keys))
            return Intervention("paint", weights, head, (row,), values=values)
        case "cut":
            columns = tuple(range(keys)) if generator.random() < 0.2 else (column,)
            return Intervention("cut", weights, head, (row,), columns)
        case "zero" | "scale":
            tensor = generator.choice(
                [
                    f"{attention}.heads",
                    f"{attention}.value",
                    f"{attention}.query",
                    f"{attention}.scores",
                ]
            )
            rows = generator.choice([None, (row,)])
            return Intervention(kind, tensor, head, rows, amount=generator.choice([0.5, 2.0]))
        case "set":
            allowed = float(generator.random() < 0.5)
            rows = (max(row, 1),)  # the decoder's first row has only one key
            return Intervention("set", f"{attention}.mask", None, rows, (column,), allowed)
        case "patch":
            other = generator.randrange(config.n_heads)
            return Intervention("patch", weights, head, (row,), origin_head=other)
    return Intervention("skip", f"{attention.rpartition('.')[0]}.output")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_it_writes_what_torch_writes_with_the_same_numbers(name: str, tmp_path: Path):
    count = 12 if name == MAIN else 2
    cases = [Case(source) for source in sentences(name, count)]
    assert len(cases) == count
    check(name, cases, tmp_path)


@pytest.mark.slow
def test_it_writes_the_same_in_a_browser_without_webassembly(tmp_path: Path):
    check(MAIN, [Case(source) for source in sentences(MAIN, 4)], tmp_path, kernel=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGED)
def test_it_makes_the_same_changes(name: str, tmp_path: Path):
    generator = random.Random(0)
    config = load_shipped(name).info.config
    text, *others = sentences(name, len(KINDS) if name == MAIN else 2)
    texts = [text, *others] if name == MAIN else [text] * 4 + others * 4
    cases = [
        Case(source, (drawn(generator, kind, config, len(source)),))
        for source, kind in zip(texts, KINDS, strict=True)
    ]
    told = check(name, cases, tmp_path)
    unchanged = [told_by_torch(name, case._replace(interventions=()))[0] for case in cases]
    changed = sum(
        ours.logits.shape != before.logits.shape or abs(ours.logits - before.logits).max() > 1e-3
        for ours, before in zip(told, unchanged, strict=True)
    )
    assert changed >= 2


@pytest.mark.slow
def test_it_makes_several_changes_in_turn_and_copies_rows_to_earlier_places(tmp_path: Path):
    generator, name = random.Random(1), MAIN
    config, weights = load_shipped(name).info.config, "decoder.layers.1.self_attn.weights"
    texts = sentences(name, 6)
    cases = [
        Case(
            source,
            tuple(drawn(generator, generator.choice(KINDS), config, len(source)) for _ in range(3)),
        )
        for source in texts
    ]
    copied = [
        Case(source, (Intervention("patch", weights, head, (2, 3), origin_rows=(5, 1)),))
        for source, head in zip(texts, (None, 3), strict=False)
    ]
    for told in check(name, [*cases, *copied], tmp_path)[len(cases) :]:
        np.testing.assert_allclose(told.weights[weights].sum(axis=-1), 1, atol=1e-5)


def test_a_change_of_keys_that_a_row_may_not_read_leaves_the_row(tmp_path: Path):
    """Row 1 of the decoder reads tokens 0 and 1: no pull, paint or cut beyond them changes it."""
    weights, (source,) = "decoder.layers.0.self_attn.weights", sentences(MAIN, 1)
    changes = (
        Intervention("point", weights, rows=(1,), columns=(4,), amount=0.8),
        Intervention("paint", weights, rows=(1,), values=(0.0, 0.0, 0.0, 1.0)),
        Intervention("cut", weights, rows=(1,), columns=(4,)),
    )
    plain, *changed = check(MAIN, [Case(source), *(Case(source, (c,)) for c in changes)], tmp_path)
    for told in changed:
        np.testing.assert_array_equal(told.weights[weights], plain.weights[weights])


@pytest.mark.parametrize("name", ["everyday-paper-0", VARIANTS["headlist"]])
def test_it_reads_a_target_that_is_given(name: str, tmp_path: Path):
    checkpoint = load_shipped(name)
    pair = load_held_out(checkpoint.info.task)[0]
    source = checkpoint.info.tokenizers.encode_source(pair.source).ids
    given = checkpoint.info.tokenizers.encode_target(pair.target).ids[1:]
    check(name, [Case(source, given=given)], tmp_path)


def test_every_choice_of_a_config_is_among_those_shipped():
    """The twin would not be tested on a choice that no shipped model makes."""
    shown = [load_shipped(name).info.config for name in NAMES]
    for field in ("norm_placement", "norm", "tying", "attention_bias", "causal_mask"):
        assert {getattr(c, field) for c in shown} >= {getattr(tiny_config(), field)}
    assert {c.positions for c in shown} == {
        "sinusoidal",
        "double_sine",
        "single_frequency",
        "learned",
    }
