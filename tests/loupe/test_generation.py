"""Texts that modules write under edits agree with a hand-written loop that uses hooks."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import loupe
from model.foreign.huggingface import RecordedFolder
from tests.loupe.test_effects import before, of_head, put
from tests.loupe.test_foreign import TEXT, WORDS, Attending, Speller, ids_of, sharp, t5
from tests.model.foreign.huggingface.families import DECODERS, ENCODER_DECODERS, ENCODERS
from tests.model.foreign.imports.oracle import save

STEPS = 7


class Writing(Attending):
    """A typical user's decoder, which returns logits."""

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(32, len(WORDS) + 2)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(super().forward(ids))


class Numbers(Speller):
    """A tokenizer that decodes every id."""

    def decode(self, ids: list[int]) -> str:
        return " ".join(map(str, ids))


def by_hand(
    model: nn.Module,
    *changes: tuple[nn.Module, Callable[[Tensor], Tensor]],
    prompt: Sequence[int] = tuple(ids_of(TEXT)),
    most: int = STEPS,
) -> str:
    """Append the best token of the last row repeatedly, with the inputs of some modules changed."""
    ids = torch.tensor([prompt])
    with torch.no_grad(), ExitStack() as stack:
        for module, change in changes:
            stack.enter_context(before(module, change))
        for _ in range(most):
            found = model(ids)
            logits = found if isinstance(found, Tensor) else found.logits
            ids = torch.cat([ids, logits[:, -1:].argmax(-1)], dim=1)
    return " ".join(map(str, ids[0, -most:].tolist()))


def off(x: Tensor) -> Tensor:
    return put(torch.zeros_like(x), slice(None), slice(None), of_head(1))(x)


def test_a_model_of_transformers_writes_under_edits() -> None:
    model = sharp(DECODERS["GPT-2"]).eval()
    plain = loupe.generate(model, Numbers(), TEXT, max_new_tokens=STEPS)
    assert plain == by_hand(model)
    edits = {"decoder.layers.0.self_attn.heads[1]": torch.zeros_like}
    edited = loupe.generate(model, Numbers(), TEXT, edits=edits, max_new_tokens=STEPS)
    assert edited == by_hand(model, (model.transformer.h[0].attn.c_proj, off))
    assert edited != plain


def test_a_folder_that_its_own_code_runs_writes_under_edits(tmp_path: Path) -> None:
    model = sharp(DECODERS["Phi-3"]).eval()
    opened = loupe.load(save(model, tmp_path))
    assert isinstance(opened, RecordedFolder)
    edits = {"decoder.layers.0.self_attn.heads[1]": torch.zeros_like}
    found = [
        loupe.generate(opened, text="w5", edits=each, max_new_tokens=STEPS)
        for each in (None, edits)
    ]
    changed = (model.model.layers[0].self_attn.o_proj, off)
    expected = [by_hand(model, prompt=[5]), by_hand(model, changed, prompt=[5])]
    assert [text.replace("w", "") for text in found] == expected
    assert found[0] != found[1]


def test_a_translator_ends_with_its_learned_positions(tmp_path: Path) -> None:
    model = sharp(ENCODER_DECODERS["BART"]).eval()
    model.config.max_position_embeddings = 9
    for stack in (model.model.encoder, model.model.decoder):
        stack.embed_positions.weight = nn.Parameter(stack.embed_positions.weight[:11])
    opened = loupe.load(save(model, tmp_path))
    assert len(loupe.generate(opened, text="w5").split()) <= 9


def test_a_module_of_ones_own_writes_under_edits_by_its_own_names() -> None:
    module = sharp(Writing).eval()
    plain = loupe.generate(module, Numbers(), TEXT, max_new_tokens=STEPS)
    assert plain == by_hand(module)
    name = next(iter(loupe.trace(module, Numbers(), TEXT).names("*heads")))
    edited = loupe.generate(
        module, Numbers(), TEXT, edits={f"{name}[1]": lambda head: -3 * head}, max_new_tokens=STEPS
    )
    weight = nn.functional.scaled_dot_product_attention

    def changed(*parts: Tensor, first: list[bool], **more: bool) -> Tensor:
        mixed = weight(*parts, **more).clone()
        if first.pop(0):
            mixed[:, 1] *= -3
        return mixed

    ids = torch.tensor([ids_of(TEXT)])
    with pytest.MonkeyPatch.context() as patched, torch.no_grad():
        for _ in range(STEPS):
            first = [True, False, False]
            patched.setattr(
                nn.functional,
                "scaled_dot_product_attention",
                lambda *parts, first=first, **more: changed(*parts, first=first, **more),
            )
            ids = torch.cat([ids, module(ids)[:, -1:].argmax(-1)], dim=1)
    assert edited == " ".join(map(str, ids[0, -STEPS:].tolist()))
    assert edited != plain


def test_it_ends_with_the_token_that_ends_texts() -> None:
    model = sharp(DECODERS["GPT-2"]).eval()
    third = int(by_hand(model).split()[2])

    class Ending(Numbers):
        eos_token_id = third

    whole = by_hand(model).split()
    assert loupe.generate(model, Ending(), TEXT) == " ".join(whole[: whole.index(str(third))])


def test_what_writes_nothing_is_said() -> None:
    with pytest.raises(ValueError, match="cannot write: its rows read later tokens"):
        loupe.generate(sharp(ENCODERS["BERT"]), ids_of, TEXT)
    with pytest.raises(TypeError, match="got one that reads two texts"):
        loupe.generate(t5(), ids_of, TEXT)
    with pytest.raises(TypeError, match=r"returns? (no )?logits \(batch position vocab\)"):
        loupe.generate(sharp(DECODERS["GPT-2"]).transformer, ids_of, TEXT)
    with pytest.raises(TypeError, match="a text is missing"):
        loupe.generate(sharp(DECODERS["GPT-2"]), ids_of)


def test_a_source_without_a_token_is_refused(tmp_path: Path) -> None:
    opened = loupe.load(save(sharp(ENCODER_DECODERS["BART"]).eval(), tmp_path))
    with pytest.raises(ValueError, match="at least one token"):
        loupe.generate(opened, text="")
