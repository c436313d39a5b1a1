from pathlib import Path

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from model.foreign.imports.load import open_folder
from model.traces import named_tensors
from qa.audit.foreign import PREFIX, write_models
from qa.audit.reference.files import read_files
from qa.audit.reference.transformer import Reference
from qa.audit.reference.words import Words
from qa.audit.walk import checkpoints
from tests.checkpoints import SHIPPED, VARIANTS
from tests.closeness import rooms, worst
from tests.model.saving import large_info, large_model

NAMES = ("everyday-paper-0", VARIANTS["prenorm"], VARIANTS["headlist"], "brackets")


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_and_the_model_are_one_function(name: str):
    compare(Reference(read_files(SHIPPED / name)), load_checkpoint(SHIPPED / name))


def test_the_reference_and_the_folders_that_are_written_are_one_function(tmp_path: Path):
    models = write_models(tmp_path)
    assert {model.name.rpartition("-")[2] for model in models} == {"gpt2", "llama", "bert", "t5"}
    for model in models:
        compare(Reference(model.files), open_folder(tmp_path / model.name.removeprefix(PREFIX)))


def compare(reference: Reference, checkpoint: Checkpoint) -> None:
    source = [7, 9, 5, 8, 2] if reference.has("encoder") else []
    target = [1, 6, 4, 8] if reference.has("decoder") else []
    inputs = [torch.tensor([ids]) if ids else None for ids in (source, target)]
    with torch.inference_mode():
        trace = checkpoint.model(*inputs)
    found = reference.forward(source, target).tensors
    compared = 0
    tensors = dict(named_tensors(trace))
    for path, allowed in rooms(tensors):
        if path in found:
            ours = tensors[path].numpy()
            ours, allowed = (ours, allowed) if ours.ndim == 2 else (ours[0], allowed[0])
            theirs = found[path][:: len(found[path]) // len(ours)]  # heads may share their keys
            assert worst(ours, theirs, allowed) <= 1, path
            compared += 1
    assert compared > 25


def test_numbers_of_8_bits_are_read_as_the_model_reads_them(tmp_path: Path):
    model = large_model()
    save_checkpoint(tmp_path / "x", model, large_info(model))
    read, loaded = read_files(tmp_path / "x").tensors, load_checkpoint(tmp_path / "x").model
    assert read.keys() == dict(loaded.named_parameters()).keys()
    for name, parameter in loaded.named_parameters():
        np.testing.assert_array_equal(read[name], parameter.numpy())


def test_a_text_is_read_as_the_app_reads_it():
    about = read_files(SHIPPED / "everyday-paper-0").about["tokenizers"]
    known = load_checkpoint(SHIPPED / "everyday-paper-0").info.tokenizers
    text = "The animal didn't cross the street because it was too tired."
    assert [*Words(about).source.encode(text), 2] == list(known.encode_source(text).ids)
    ids = known.encode_target("l'animal n'a pas traversé la rue .").ids
    assert Words(about).written(list(ids)) == known.target.decode(ids)


def test_every_shipped_checkpoint_is_known():
    assert len(checkpoints()) >= 13
