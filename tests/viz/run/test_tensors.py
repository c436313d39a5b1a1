"""Files of a whole run, reopened and compared with the run."""

import io
import json
import zipfile

import numpy as np
import safetensors
import safetensors.numpy

from model.traces import named_tensors
from viz.run.record import Run
from viz.run.tensors import (
    SAID,
    bytes_of,
    npz_file,
    run_tensor_names,
    run_tensors,
    safetensors_file,
)

SAYS = {"source": "l'été </script>", "edits": ["head off"]}


def expected(run: Run) -> dict[str, np.ndarray]:
    named = {name: tensor.numpy() for name, tensor in named_tensors(run.trace)}
    logits = named["logits"].astype(np.float64)
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return named | {"probabilities": powers / powers.sum(axis=-1, keepdims=True)}


def holds(arrays: dict[str, np.ndarray], run: Run) -> None:
    wanted = expected(run)
    assert arrays.keys() == wanted.keys() == set(run_tensor_names(run))
    for name, array in arrays.items():
        tolerance = 1e-6 if name == "probabilities" else 0
        np.testing.assert_allclose(
            array, wanted[name], rtol=tolerance, atol=tolerance, err_msg=name
        )


def test_npz_holds_every_tensor_and_where_it_comes_from(run: Run):
    contents = npz_file(run, SAYS)
    with zipfile.ZipFile(io.BytesIO(contents)) as archive:
        assert json.loads(archive.read(SAID)) == SAYS
    with np.load(io.BytesIO(contents), allow_pickle=False) as arrays:
        holds({name: arrays[name] for name in arrays.files if name != SAID}, run)


def test_safetensors_hold_every_tensor_and_where_it_comes_from(run: Run, tmp_path):
    contents = safetensors_file(run, SAYS)
    holds(safetensors.numpy.load(contents), run)
    path = tmp_path / "run.safetensors"
    path.write_bytes(contents)
    with safetensors.safe_open(path, "numpy") as file:
        assert json.loads(file.metadata()["Loupe"]) == SAYS


def test_the_size_is_that_of_the_numbers(run: Run):
    assert bytes_of(run) == sum(tensor.numpy().nbytes for _, tensor in run_tensors(run))
