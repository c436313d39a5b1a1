"""The first pass of a model, which determines facts for later passes."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from model.foreign.recording import passes
from model.foreign.recording.functions import Listener
from model.foreign.recording.log import Log
from model.foreign.recording.parts import find_parts
from model.foreign.recording.paths import Paths
from model.foreign.recording.plan import Known, Side
from model.foreign.recording.reads import Reads
from model.foreign.recording.stacks import find_blocks


def known_by(
    model: nn.Module,
    paths: Paths,
    args: tuple,
    inputs: Mapping[str, Any],
    outputs: Sequence[str] | None,
) -> Known:
    """Run a pass, with a longer text in place of a single token, and return the facts it shows."""
    log = None
    if longer := passes.lengthened(args, inputs):
        with contextlib.suppress(Exception):  # some models accept only one token
            log = _logged(model, paths, *longer)
            args, inputs = longer
    log = log or _logged(model, paths, args, inputs)
    if not log.attentions:
        saw_softmax = log.unrecorded.saw_softmax or log.saw_softmax
        why = why_nothing(model, log, saw_softmax=saw_softmax)
        if not outputs:
            raise ValueError(f"{why}; record=[...] keeps the outputs of its modules")
        return Known(None, lacks=why, texts=tuple(log.texts), missing={"": why, **log.missing})
    plan, lacks, blocks = None, "", frozenset[str]()
    try:
        plan = find_parts(log, _token_ids(args, inputs))
    except ValueError as error:
        lacks, blocks = str(error), find_blocks(log) | {""}
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError) as error:
        # Tensors in third-party code may have unexpected shapes.
        lacks = f"the search for its parts failed with {type(error).__name__}: {error}"
        blocks = find_blocks(log) | {""}
    known: list[Reads] = []
    reads = {(each.module.path, each.nth): _shared(each.reads, known) for each in log.attentions}
    return Known(plan, lacks, blocks, reads=reads, texts=tuple(log.texts), missing=log.missing)


def _shared(reads: Reads, known: list[Reads]) -> Reads:
    """Return an equal known object if there is one, as for the layers of a stack."""
    for each in known:
        if each == reads:
            return each
    known.append(reads)
    return reads


def _logged(model: nn.Module, paths: Paths, args: tuple, inputs: Mapping[str, Any]) -> Log:
    log = Log(paths)
    given = passes.copied((args, dict(inputs)))
    log.begins(*given)
    with torch.no_grad():
        passes.run_on(model, *given, listener=log)
    return log


def _token_ids(args: tuple, inputs: Mapping[str, Any]) -> dict[Side, Tensor]:
    """Return the ids that each stack reads; a single stack's ids count for either side."""
    named = (inputs.get(name) for name in ("input_ids", "decoder_input_ids"))
    texts = [x for x in (*args, *named) if isinstance(x, Tensor) and not x.is_floating_point()]
    return {"encoder": texts[0], "decoder": texts[-1]} if texts else {}


def why_nothing(module: nn.Module, listener: Listener, *, saw_softmax: bool) -> str:
    """Explain why no attention of a module could be recorded."""
    name = type(module).__name__
    if not saw_softmax and not listener.saw_exponents:
        return (
            f"no attention was seen in {name}: it called none of torch's attention functions and "
            "no softmax"
        )
    if not saw_softmax:
        return (
            f"{name} called no softmax function of torch, so no attention could be recorded: Loupe "
            "does not see an attention that computes its softmax from other functions or in a "
            "kernel of its own"
        )
    if listener.reads_table:
        return (
            f"no attention of {name} could be recorded: it has a softmax that mixes rows of a "
            "table of the model, which is the same for every text, but no softmax that mixes what "
            "the module reads"
        )
    return (
        f"{name} called neither F.scaled_dot_product_attention nor nn.MultiheadAttention, and no "
        "softmax in its own code takes products of queries and keys and then mixes values, so no "
        "attention could be recorded"
    )
