"""Edits by patterns of names agree with the same edits written out."""

from typing import Any

import pytest
import torch

import loupe
from model.edit_patterns import EditsByPattern, expanded
from model.edits import Edits, ablate
from tests.checkpoints import load_shipped
from tests.loupe.test_foreign import TEXT, Attending, Speller, ids_of, sharp
from tests.model.foreign.huggingface.families import DECODERS

NAMES = ("a.0.weights", "a.0.heads", "a.0.output", "a.1.weights", "a.1.heads", "a.1.output")


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("a.0.heads", ["a.0.heads"]),
        ("*.heads", ["a.0.heads", "a.1.heads"]),
        ("a.1.heads[1,2]", ["a.1.heads[1]", "a.1.heads[2]"]),
        ("*.heads[0, 3]", ["a.0.heads[0]", "a.0.heads[3]", "a.1.heads[0]", "a.1.heads[3]"]),
        ("a.?.output", ["a.0.output", "a.1.output"]),
        ("a.[1].output", ["a.1.output"]),
        ("a.0.*[1]", ["a.0.weights[1]", "a.0.heads[1]"]),
    ],
)
def test_a_pattern_is_written_out(key: str, expected: list[str]) -> None:
    assert list(expanded(Edits({key: ablate}), NAMES).by_name) == expected
    found = EditsByPattern(Edits({key: ablate}), {})
    kept = [f"{name[:4]}{last}" for name in NAMES for last in found.of(name).by_name]
    assert kept == expected


def test_a_pattern_that_fits_nothing_is_said() -> None:
    with pytest.raises(ValueError, match=r"no tensor name matches '\*.head'; nearest: a"):
        expanded(Edits({"*.head": ablate}), NAMES)
    with pytest.raises(ValueError, match=r"matches 'a.0.outpu\*\[1\]'"):
        expanded(Edits({"a.0.outpu*[1]": ablate}), NAMES)


def test_own_names_serve_as_well() -> None:
    found = EditsByPattern(Edits({"h.*.attn.heads[1]": ablate}), {"h.0.attn": "a.0"})
    assert list(found.of("a.0.heads").by_name) == ["heads[1]"]
    assert not found.concern("a.1.heads")


def test_two_edits_of_one_tensor_are_made_in_turn() -> None:
    edits = Edits({"*.heads": lambda x: x + 1, "a.0.heads": lambda x: x * 3})
    found = expanded(edits, NAMES).apply("a.0.heads", torch.ones(1))
    assert found.item() == 6


@pytest.mark.parametrize("which", ["own", "transformers", "module"])
def test_a_run_follows_patterns(which: str) -> None:
    given: Any
    if which == "own":
        given = (load_shipped("digits-paper"), "3 1 4")
    else:
        model = sharp(DECODERS["GPT-2"] if which == "transformers" else Attending)
        given = (model, Speller(), TEXT)
    plain = loupe.trace(*given)
    names = plain.names("*.heads")
    assert len(names) > 1
    by_hand = {f"{name}[{head}]": torch.zeros_like for name in names for head in (1, 2)}
    found = loupe.trace(*given, edits={"*.heads[1,2]": torch.zeros_like})
    expected = loupe.trace(*given, edits=by_hand)
    last = "logits" if "logits" in plain else "output"
    assert torch.equal(found[last], expected[last])
    assert not torch.equal(found[last], plain[last])
    with pytest.raises(ValueError, match="no tensor name matches"):
        loupe.trace(*given, edits={"*.nothing": torch.zeros_like})


def test_a_model_writes_under_a_pattern() -> None:
    model = sharp(DECODERS["GPT-2"])
    off = {"*.self_attn.output": torch.zeros_like}
    names = loupe.trace(model, ids_of(TEXT)).names("*.self_attn.output")
    by_hand = dict.fromkeys(names, torch.zeros_like)
    written = [
        loupe.generate(model, Speller(), ids_of(TEXT), edits=edits, max_new_tokens=4)
        for edits in (off, by_hand)
    ]
    assert written[0] == written[1]
