import subprocess
import sys
from pathlib import Path

import pytest
import torch

from model.checkpoints.weights import stored_tensors
from model.memory.meta_models import numberless
from model.presets import PRESETS
from model.transformer import Transformer
from tests.checkpoints import SHIPPED
from tests.tiny import tiny_config

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("variant", PRESETS)
def test_a_model_without_numbers_has_the_shapes_of_one_with_numbers(variant: str):
    config = tiny_config(variant)
    with numberless():
        shapes = Transformer(config)
    real = Transformer(config)

    assert all(tensor.is_meta for tensor in (*shapes.parameters(), *shapes.buffers()))
    for part in (stored_tensors, lambda model: dict(model.named_buffers())):
        found = {name: tuple(tensor.shape) for name, tensor in part(shapes).items()}
        assert found == {name: tuple(tensor.shape) for name, tensor in part(real).items()}


def test_what_is_built_after_it_has_numbers():
    with numberless():
        torch.nn.Linear(3, 2)

    assert torch.nn.Linear(300, 200).weight.std() > 0


@pytest.mark.slow
def test_loading_a_checkpoint_does_not_import_the_compiler():
    load = (
        "import sys; from pathlib import Path;"
        "from model.checkpoints.checkpoint import load_checkpoint;"
        f"load_checkpoint(Path({str(SHIPPED / 'everyday-paper-0')!r}));"
        "print('torch._dynamo' in sys.modules)"
    )

    done = subprocess.run(
        [sys.executable, "-c", load], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "False"
