"""A model made ready to be recorded, and left exactly as it was."""

import difflib
import importlib.util
import inspect
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from model.edits import NO_EDITS, Edits
from model.held import Held, evaluating
from model.huggingface.attention import name_over, register
from model.huggingface.log import Log
from model.huggingface.parts import find_parts
from model.huggingface.plan import Plan, Side
from model.huggingface.recorder import Recorder
from model.listening import Paths, hooked, listening
from model.recorded_module import tensors_in
from model.traces import HEAD_TENSORS, TransformerTrace


def record(model: nn.Module, *, edits: Edits = NO_EDITS, **inputs: Any) -> TransformerTrace:  # noqa: ANN401
    """Record one pass of a model of transformers, run by transformers' own code.

    `inputs` are what the model is called with, such as `input_ids` and `attention_mask`. Names are
    those of `model.traces`; so are those of edits. A part that the pass does not prove to be there
    is None. The model is left as it was: its mode, its hooks, its config. With gradients enabled
    the record's tensors have them, as those of our own models do.

    Raises ImportError where transformers is missing, and ValueError where the model computes its
    attention in a way that cannot be recorded, or an edit's name is unknown.
    """
    with attached(model, **inputs) as ready:
        return ready.record(edits=edits, **inputs)


class Attached:
    """A model that can be recorded, any number of times and by several threads at once."""

    def __init__(self, model: nn.Module, paths: Paths, plan: Plan) -> None:
        self._model = model
        self._paths = paths
        self.plan = plan

    def record(self, *, edits: Edits = NO_EDITS, **inputs: Any) -> TransformerTrace:  # noqa: ANN401
        """Record one pass, as `model.huggingface.record` does."""
        _check(edits, self.plan)
        recorder = Recorder(self._paths, self.plan, edits)
        with listening(recorder):
            output = _run(self._model, inputs)
        return recorder.trace(output.get("logits"))

    @torch.no_grad()
    def difference(self, **inputs: Any) -> float:  # noqa: ANN401
        """Give the largest distance of the recorded output from the one that nobody listens to."""
        with listening(Recorder(self._paths, self.plan, NO_EDITS)):
            recorded = _run(self._model, inputs)
        plain = _run(self._model, inputs)
        pairs = zip(tensors_in(recorded), tensors_in(plain), strict=True)
        # On the processor: not every device has float64.
        return max((a.cpu().double() - b.cpu().double()).abs().max().item() for a, b in pairs)


def has_transformers() -> bool:
    """Tell whether transformers is installed, without importing it."""
    return importlib.util.find_spec("transformers") is not None


def need_transformers() -> None:
    """Raise ImportError, with what to install, where transformers is missing."""
    if not has_transformers():
        raise ImportError(
            "models of others are run by transformers, which is not installed: "
            'pip install "loupe[huggingface]", or pip install transformers'
        )


@contextmanager
def attached(model: nn.Module, **inputs: Any) -> Iterator[Attached]:  # noqa: ANN401
    """Make a model ready, and put it back as it was.

    `inputs` is any text: its pass shows where the model's parts are. While it is attached, the
    model is in evaluation mode for all threads, and otherwise as it was for those that do not
    record.
    """
    need_transformers()
    register()
    paths = {module: path for path, module in model.named_modules()}
    with evaluating(paths), _recording_attention(paths), hooked(paths):
        log = Log(paths)
        with listening(log), torch.no_grad():
            _run(model, inputs)
        if not log.attentions:
            raise ValueError(
                f"{type(model).__name__} did not call transformers' attention interface once, so "
                "nothing could be recorded; models whose file in transformers uses "
                "ALL_ATTENTION_FUNCTIONS can be"
            )
        yield Attached(model, paths, find_parts(log, _token_ids(model, inputs)))


def _run(model: nn.Module, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    if "use_cache" in inspect.signature(model.forward).parameters:
        inputs = {"use_cache": False, **inputs}
    return model(**inputs, return_dict=True)


def _token_ids(model: nn.Module, inputs: Mapping[str, Any]) -> dict[Side, Tensor]:
    given: dict[Side, object] = {
        "encoder": inputs.get("input_ids"),
        "decoder": inputs.get("decoder_input_ids"),
    }
    if not getattr(model.config, "is_encoder_decoder", False):
        given["decoder"] = given["encoder"]
    return {side: ids for side, ids in given.items() if isinstance(ids, Tensor)}


_HEAD = re.compile(r"(?P<name>.*)\[(?P<head>\d+)\]")


def _check(edits: Edits, plan: Plan) -> None:
    """Raise ValueError unless each name is one that the plan finds, with such a head."""
    for key in edits.by_name:
        match = _HEAD.fullmatch(key)
        name = match["name"] if match else key
        if name not in plan.names:
            nearest = difflib.get_close_matches(name, plan.names, n=3, cutoff=0.0)
            raise ValueError(f"nothing is captured as {name!r}; nearest: {', '.join(nearest)}")
        if match is None:
            continue
        base, _, last = name.rpartition(".")
        if last not in HEAD_TENSORS or base not in plan.heads:
            raise ValueError(f"{name} has no heads to choose from, got {key!r}")
        heads, kv_heads = plan.heads[base]
        most = kv_heads if last in ("key", "value") else heads
        if int(match["head"]) >= most:
            raise ValueError(f"{name} has heads 0 to {most - 1}, got {key!r}")


_implementations = Held()


@contextmanager
def _recording_attention(paths: Paths) -> Iterator[None]:
    configs: dict[int, Any] = {}
    waiting = [module.config for module in paths if hasattr(module, "config")]
    while waiting:
        config = waiting.pop()
        if id(config) in configs or not hasattr(config, "_attn_implementation_internal"):
            continue
        configs[id(config)] = config
        waiting += [getattr(config, name, None) for name in getattr(config, "sub_configs", ())]
    with _implementations.each(
        list(configs.values()), "_attn_implementation_internal", new=name_over
    ):
        yield
