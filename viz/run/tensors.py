"""Every tensor of a run by its name, and files with all of them."""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping

import numpy as np
import safetensors.torch
from torch import Tensor

from model.tensor_names import tensor_names
from model.traces import named_tensors, names_in, present
from viz.run.record import Run

PROBABILITIES = "probabilities"
"""Probabilities of every token at every step: the softmax of the logits, not part of a trace."""
SAID = "provenance.json"
"""Entry of an NPZ with the provenance of the arrays; not the name of a tensor."""
_SAID_IN_METADATA = "Loupe"


def run_tensor_names(run: Run) -> tuple[str, ...]:
    """List the names of `run_tensors` in their order, without computing the tensors."""
    recorded = run.anatomy.is_recorded
    names = tuple(names_in(run.trace)) if recorded else tensor_names(run.info.config)
    return names if run.trace.logits is None else (*names, PROBABILITIES)


def run_tensors(run: Run) -> Iterator[tuple[str, Tensor]]:
    """Yield every tensor of a run by name: those of the trace, and the probabilities."""
    yield from named_tensors(run.trace)
    if run.trace.logits is not None:
        yield PROBABILITIES, probabilities(run)


def probabilities(run: Run) -> Tensor:
    """Return the softmax of the logits."""
    return present(run.trace.logits).softmax(dim=-1)


def npz_file(run: Run, said: Mapping[str, object]) -> bytes:
    """Write all tensors of a run as NPZ, with their provenance in the entry `provenance.json`."""
    file = io.BytesIO()
    arrays = {name: tensor.numpy() for name, tensor in run_tensors(run)}
    np.savez_compressed(file, allow_pickle=False, **arrays)
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(SAID, json.dumps(said, ensure_ascii=False, indent=1))
    return file.getvalue()


def safetensors_file(run: Run, said: Mapping[str, object]) -> bytes:
    """Write all tensors of a run as safetensors, with their provenance as JSON in the metadata."""
    # Two tensors may share one memory (an embedding and the first layer's input): copy each.
    tensors = {name: tensor.contiguous().clone() for name, tensor in run_tensors(run)}
    metadata = {_SAID_IN_METADATA: json.dumps(said, ensure_ascii=False)}
    return safetensors.torch.save(tensors, metadata=metadata)


def bytes_of(run: Run) -> int:
    """Return how many bytes all tensors of a run have together."""
    return sum(tensor.nelement() * tensor.element_size() for _, tensor in run_tensors(run))
