"""Checks that a run is of a model, and finds models whose parts are known one by one."""

from weakref import WeakKeyDictionary

from torch import nn

from loupe.fingerprints import fingerprint
from loupe.foreign import is_of_transformers
from loupe.from_transformers import shown
from loupe.run import Run
from loupe.runners import LoadedRunner, Runner, runner_of
from model.checkpoints.checkpoint import Checkpoint
from model.checkpoints.errors import CheckpointError
from model.foreign.recording import PickedTrace
from model.traces import TransformerTrace

_poured: WeakKeyDictionary[nn.Module, tuple[str, Checkpoint]] = WeakKeyDictionary()


def check_run(runner: Runner, run: object) -> Run:
    """Return a run of this model. Raises TypeError or ValueError on anything else."""
    if not isinstance(run, Run):
        raise TypeError(
            f"run must come from loupe.trace, such as loupe.trace(model, text), got "
            f"{type(run).__name__}"
        )
    if run.fingerprint and run.fingerprint != fingerprint(runner.weights):
        raise ValueError(
            f"the run must be of this model, got one of {run.model} with other weights: trace the "
            "text with this model"
        )
    return run


def trace_of(runner: Runner, run: object) -> TransformerTrace:
    """Return the record of a run of this model, by Loupe's names.

    Raises TypeError if it is not a run, has only chosen tensors or lacks a residual stream;
    ValueError if it is of another model.
    """
    found = check_run(runner, run)
    if isinstance(found.record, PickedTrace):
        raise TypeError("a run must have all its tensors, got a run with chosen names")
    if not isinstance(found.record, TransformerTrace):
        raise TypeError(
            f"a run must have a residual stream by Loupe's names, got one of {found.model}, of "
            "which only attentions are known"
        )
    return found.record


def runner_with_parts(model: object, tokenizer: object) -> Runner:
    """Return a model that Loupe implements.

    The weights of a transformers model are poured into Loupe's own. Raises TypeError on others.
    """
    runner = runner_of(model, tokenizer)
    if runner.config is not None:
        return runner
    why = "transformers' own code computes it"
    if isinstance(model, nn.Module):
        why = f"{type(model).__name__} is not of a family that Loupe knows"
        if is_of_transformers(model):
            try:
                return LoadedRunner(_pour(model, tokenizer))
            except (CheckpointError, TypeError, ValueError) as error:
                why = str(error)
    raise TypeError(
        "this needs a checkpoint of Loupe, or a transformers model whose weights can be loaded "
        f"into Loupe's own model ({why}); loupe.patch, ablate and lens take any model of which "
        "loupe.trace records a residual stream"
    )


def _pour(model: nn.Module, tokenizer: object) -> Checkpoint:
    whose = fingerprint(model)
    known = _poured.get(model)
    if known is None or known[0] != whose:
        made = shown(model, tokenizer)
        if not isinstance(made, Checkpoint):
            raise TypeError(f"{type(model).__name__} is not of a family that Loupe knows")
        known = whose, made
        _poured[model] = known
    return known[1]
