"""Runs with a third-party tokenizer, which decides where a text begins."""

from dataclasses import replace

import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint
from model.checkpoints.metadata import CheckpointInfo
from model.config import TransformerConfig
from model.foreign.imports.words import read_words
from model.text.tokenizer import Tokenizers
from model.transformer import Transformer
from tests.model.foreign.imports.folders import byte_tokenizer
from tests.tiny import tiny_config
from viz.run.making import make_run

VOCABULARY = {"source_vocab_size": 300, "target_vocab_size": 300}


def checkpoint(config: TransformerConfig, **values) -> Checkpoint:
    torch.manual_seed(0)
    words = read_words(byte_tokenizer().to_str().encode(), {}, values, vocab_size=300)
    words = replace(words, specials=replace(words.specials, pad=config.pad_id))
    about = {"name": "tiny", "title": "Tiny", "variant": "custom", "task": ""}
    info = CheckpointInfo(
        **about,
        config=config,
        tokenizers=Tokenizers(words, words, shared=True),
    )
    return Checkpoint(info=info, model=Transformer(config).eval())


def test_an_encoder_alone_needs_nothing_to_begin_with():
    config = tiny_config(**VOCABULARY | {"target_vocab_size": 0, "n_decoder_layers": 0})
    run = make_run(checkpoint(replace(config, head="none")), "a text")
    assert run.trace.encoder is not None
    assert (run.steps, run.target_tokens) == ((), ())


def test_a_decoder_begins_with_the_id_that_its_config_names_even_that_of_the_padding():
    config = tiny_config(**VOCABULARY, target_padding_mask=False)
    run = make_run(checkpoint(config, decoder_start_token_id=config.pad_id), "a text")
    assert run.target_ids[0] == config.pad_id
    assert run.trace.decoder.layers[0].self_attn.mask[0, 0, 0]


def test_a_decoder_of_which_nobody_says_how_it_begins_is_refused():
    with pytest.raises(ValueError, match="needs decoder_start_token_id"):
        make_run(checkpoint(tiny_config(**VOCABULARY)), "a text")
