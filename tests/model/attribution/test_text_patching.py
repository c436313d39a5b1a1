"""Patching between two texts of a one-text model agrees with edits named one by one."""

from itertools import product
from statistics import fmean

import pytest
import torch
from torch import Tensor

from model.attribution.patched_cells import Cell
from model.attribution.patching import PatchingError, patch_mean
from model.attribution.text_patching import text_cells, text_contest, text_stages
from model.edits import NO_EDITS, Edits
from model.traces import TransformerTrace, find_tensor, present
from model.transformer import Transformer
from tests.checkpoints import load_shipped
from tests.tiny import tiny_model

DECODER = {"n_encoder_layers": 0, "source_vocab_size": 0}
ENCODER = {"n_decoder_layers": 0, "target_vocab_size": 0}
TEXTS = (((3, 4, 5, 6), (3, 7, 5, 6)), ((8, 4, 5, 9), (8, 7, 5, 9)))


def lead_of(model: Transformer, ids: tuple[int, ...], row: int, edits: Edits = NO_EDITS) -> float:
    """Return the logit of token 5 minus that of token 6."""
    with torch.inference_mode():
        logits = trace_of(model, ids, edits).logits[0, row]
    return float(logits[5] - logits[6])


def trace_of(model: Transformer, ids: tuple[int, ...], edits: Edits = NO_EDITS) -> TransformerTrace:
    text = torch.tensor([ids])
    return model(text, None, edits=edits) if model.encoder else model(None, text, edits=edits)


@pytest.mark.parametrize(("sizes", "row"), [(DECODER, -1), (ENCODER, 2)])
def test_the_mean_is_that_of_runs_with_the_numbers_of_others(sizes, row) -> None:
    model = tiny_model(**sizes)
    model.generator.weight.data *= 20
    found = patch_mean(
        model,
        [text_contest(model, *pair, row, (5, 6)) for pair in TEXTS],
        text_cells(model.config, 4),
    )
    side = "encoder" if model.encoder else "decoder"
    layers = len(getattr(model, side).layers)
    assert len(found.cells) == (1 + 2 * layers) * 4 + 2 * 5 * layers
    goal, before = ([lead_of(model, pair[i], row) for pair in TEXTS] for i in (0, 1))
    assert found.clean_difference == pytest.approx(fmean(goal), abs=1e-4)
    assert found.corrupt_difference == pytest.approx(fmean(before), abs=1e-4)
    places = {
        Cell("z", f"{side}.layers.0.self_attn.heads", 2, None): (slice(None), 2),
        Cell("row", f"{side}.layers.1.self_attn.weights", 1, None): (slice(None), 1),
        Cell("state", f"{side}.layers.0.output", None, 1): (slice(None), 1),
    }
    for cell, place in places.items():
        after = []
        for clean, corrupt in TEXTS:
            value = find_tensor(trace_of(model, clean), cell.name).detach()

            def put(now: Tensor, value=value, place=place) -> Tensor:
                now = now.clone()
                now[place] = value[place]
                return now

            after.append(lead_of(model, corrupt, row, Edits({cell.name: put})))
        share = (fmean(after) - fmean(before)) / (fmean(goal) - fmean(before))
        assert found.shares[cell] == pytest.approx(share, abs=1e-4)


def test_each_answer_is_what_the_model_says_in_the_hidden_words_row() -> None:
    model = tiny_model(**ENCODER)
    model.generator.weight.data *= 20
    mask, row = 7, 1
    texts = [(3, mask, *rest) for rest in product(range(3, 10), repeat=2)]
    said = [present(trace_of(model, ids).logits)[0].argmax(dim=-1).tolist() for ids in texts]
    others = [i for i, of in enumerate(said) if of[row] not in (of[-1], said[0][row])]
    assert len(others) > 3
    for i in others:
        found = text_contest(model, texts[0], texts[i], row)
        assert (found.answer, found.other, found.row) == (said[0][row], said[i][row], row)


def test_an_induction_head_carries_what_follows() -> None:
    checkpoint = load_shipped("induction-two-heads")
    text = "river lamp horse {} moon star river lamp horse"
    encode = checkpoint.info.tokenizers.encode_prompt
    ids = [encode(text.format(word)).ids for word in ("bread", "salt")]
    which = text_contest(checkpoint.model, *ids)
    words = checkpoint.info.tokenizers.target
    assert words.decode([which.answer, which.other]) == "bread salt"
    found = patch_mean(checkpoint.model, [which], text_cells(checkpoint.model.config, len(ids[0])))
    names = text_stages(checkpoint.model.config)
    assert names == (
        "target_embedding.output",
        *(f"decoder.layers.{i}.after_self_attn" for i in (0, 1)),
    )
    shares = [[found.shares[Cell("state", name, None, at)] for at in (4, 9)] for name in names]
    assert [round(share) for row in shares for share in row] == [1, 0, 1, 0, 0, 1]
    assert found.shares[Cell("output", "decoder.layers.1.self_attn.output", None, None)] > 0.9


def test_what_cannot_be_laid_beside_each_other_is_said() -> None:
    model = tiny_model(**DECODER)
    with pytest.raises(PatchingError, match="same number of tokens, got 2 and 3"):
        text_contest(model, (3, 4), (3, 4, 5))
    with pytest.raises(PatchingError, match="the same for both"):
        text_contest(model, (3, 4), (3, 4))
    with pytest.raises(PatchingError, match="barely distinguishes"):
        patch_mean(model, [text_contest(model, (3, 4), (3, 4), answers=(5, 6))], [])
