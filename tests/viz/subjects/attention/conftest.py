"""Fixtures: a server with models of one text, which no test changes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from model.checkpoints.checkpoint import save_checkpoint
from model.checkpoints.metadata import CheckpointInfo
from model.config import TransformerConfig
from model.text.tokenizer import Tokenizers
from model.transformer import Transformer
from tests.browsing import serve
from tests.checkpoints import ONE_TEXT, write_one_text
from tests.tiny import shaken


@pytest.fixture(scope="session")
def one_text_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the three small models of one text, and one as wide as GPT-2."""
    folder = write_one_text(tmp_path_factory.mktemp("one-text-served"))
    tokenizers = Tokenizers.train(
        [ONE_TEXT], [ONE_TEXT], source_kind="word", target_kind="word", shared=True
    )
    config = TransformerConfig(
        source_vocab_size=0,
        target_vocab_size=tokenizers.target.vocab_size,
        d_model=768,
        n_heads=12,
        d_k=64,
        d_v=64,
        d_ff=768,
        n_encoder_layers=0,
        n_decoder_layers=2,
        positions="learned",
        norm_placement="pre",
        final_norm=True,
        max_length=64,
        dropout=0.0,
    )
    torch.manual_seed(0)
    info = CheckpointInfo(
        name="wide",
        title="wide",
        variant="custom",
        task="own",
        config=config,
        tokenizers=tokenizers,
    )
    save_checkpoint(folder / "wide", shaken(Transformer(config)), info, half=False)
    return folder


@pytest.fixture(scope="session")
def one_text_address(one_text_folder: Path) -> Iterator[str]:
    with serve(one_text_folder, {"LOUPE_CHECKPOINTS": str(one_text_folder)}) as address:
        yield address
