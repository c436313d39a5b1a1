"""The JavaScript twin computes the models of each family that Loupe opens as its own."""

from pathlib import Path
from typing import Any

import pytest
import torch

from model.interventions.kinds import Intervention
from tests.model.foreign.imports import test_decoders_oracle as decoders
from tests.model.foreign.imports.encoders import SMALL, SMALL_PAIR, opened, sharpened
from tests.model.foreign.imports.families import test_distilbert as distilbert
from tests.model.foreign.imports.families import test_marian as marian
from tests.model.foreign.imports.families import test_t5 as t5
from tests.model.foreign.imports.oracle import VOCABULARY
from tests.viz.pictures.twin.passes import Subject, check

ENCODERS: dict[str, tuple[str, dict[str, Any]]] = {
    "BERT": ("BertForMaskedLM BertConfig", SMALL),
    "BERT, no head": ("BertModel BertConfig", SMALL | {"hidden_act": "relu"}),
    "DistilBERT": (distilbert.MASKED_WORDS, distilbert.SMALL),
    "RoBERTa": ("RobertaForMaskedLM RobertaConfig", SMALL),
    "T5's encoder": ("T5EncoderModel T5Config", t5.SMALL),
}
PAIRS: dict[str, tuple[str, dict[str, Any]]] = {
    "BART": ("BartForConditionalGeneration BartConfig", SMALL_PAIR),
    "BART, untied": (
        "BartForConditionalGeneration BartConfig",
        SMALL_PAIR | {"tie_word_embeddings": False, "scale_embedding": True},
    ),
    "Marian": (marian.TRANSLATES, marian.SMALL | marian.AS_OPUS),
    "T5": (t5.WRITES, t5.SMALL | t5.MANY_BUCKETS),
    "T5 1.1": (t5.WRITES, t5.SMALL | t5.SECOND),
}
STARTS = {"BART": 2, "BART, untied": 2, "Marian": marian.PAD, "T5": 0, "T5 1.1": 0}
KINDS = decoders.CONFIGS | ENCODERS | PAIRS
GROUPED, READS = "Llama, grouped, tied, wide heads", "BERT"
CHANGES = {
    GROUPED: (
        Intervention("zero", "decoder.layers.1.self_attn.heads", head=3),
        Intervention("scale", "decoder.layers.*.self_attn.key", head=1, amount=1.5),
        Intervention("skip", "decoder.layers.1.output"),
        Intervention("cut", "decoder.layers.0.self_attn.weights", 2, (3,), (1,)),
        Intervention("patch", "decoder.layers.2.self_attn.weights", 0, (3,), origin_head=3),
    ),
    READS: (
        Intervention("zero", "encoder.layers.*.self_attn.heads", head=2),
        Intervention("scale", "encoder.layers.0.feed_forward.output", rows=(1, 4), amount=2.0),
        Intervention("skip", "encoder.layers.0.output"),
        Intervention("cut", "encoder.layers.1.self_attn.weights", None, (2,), (0, 5)),
        Intervention("patch", "encoder.layers.1.self_attn.weights", 1, (2,), origin_rows=(4,)),
    ),
}


def subject_of(name: str, folder: Path, texts: int) -> Subject:
    kind, settings = KINDS[name]
    model = opened(sharpened(kind, **settings), folder / name)
    drawn = torch.Generator().manual_seed(sum(map(ord, name)))
    lengths = torch.randint(4, 13, (texts,), generator=drawn).tolist()
    read = [torch.randint(VOCABULARY, (n,), generator=drawn).tolist() for n in lengths]
    changed = [(read[0], (made,)) for made in CHANGES.get(name, ())]
    cases = [*((text, ()) for text in read), *changed]
    return Subject(model, cases, start=STARTS.get(name), stops=(1, 50))


@pytest.mark.slow
def test_it_computes_every_tensor_and_writes_the_same(tmp_path: Path):
    """Each model runs three texts, and continues them if it has a decoder."""
    subjects = {name: subject_of(name, tmp_path, 3) for name in KINDS}
    close = check(subjects, tmp_path)
    prompts = 3 * (len(KINDS) - len(ENCODERS))
    assert prompts - len(close) >= 50, close
