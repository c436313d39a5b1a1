"""The weights and states that the decoder read at each step, before any later token existed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from model.config import TransformerConfig
from model.recompute import on_cpu
from model.traces import DecoderTrace, TransformerTrace, present
from viz.run.making import source_ids
from viz.run.record import Run
from viz.subjects.decoding.paths import DecodedPath

if TYPE_CHECKING:  # only for types
    from model.transformer import Transformer

MOST_STEPS = 128
"""The largest number of steps of a path that are sent to the browser."""
MOST_WEIGHTS = 12_000_000


@dataclass(frozen=True, eq=False)
class Reading:
    """The tensors of a path, one row for each step: row t is of the pass that wrote token t."""

    self_weights: Float[np.ndarray, "layer head step key"]
    """The keys are `<s>` and the earlier tokens; a key that did not exist yet has weight 0."""
    cross_weights: Float[np.ndarray, "layer head step source"]
    """A model without an encoder has no source keys."""
    cross_mask: Bool[np.ndarray, "step source"]
    states: Float[Tensor, "depth step d_model"]
    """The decoder's input, then its hidden states after each layer, before any final norm."""


def played_steps(config: TransformerConfig, path: DecodedPath, n_source: int) -> int:
    """Count the steps to play: all of them, unless that is too much for the browser."""
    steps = min(len(path.steps), MOST_STEPS)
    heads = config.n_decoder_layers * config.n_heads
    while steps > 1 and heads * steps * (steps + n_source) > MOST_WEIGHTS:
        steps -= 1
    return steps


@torch.inference_mode()
def read_path(run: Run, model: "Transformer", path: DecodedPath, count: int) -> Reading:
    """Run the first `count` steps of a path in one pass, or one by one without a causal mask."""
    ids = path.ids[:count]
    if not run.is_causal:
        return _stacked(run, model, ids)
    if path.steps is run.steps:
        return _cut(run.trace, count)
    target = torch.tensor([(run.target_ids[0], *ids[:-1])], device=model.device)
    return _cut(model(source_ids(run, model), target, edits=run.edits), count)


def _cut(trace: TransformerTrace, count: int) -> Reading:
    """Take the first rows of a pass whose mask hid later tokens from each."""
    layers = present(trace.decoder).layers
    crosses = [layer.cross_attn for layer in layers if layer.cross_attn]
    read, cross_mask = _no_source(layers[0].self_attn.weights, len(layers), count)
    if crosses:
        read = torch.cat([x.weights[..., :count, :] for x in crosses])
        cross_mask = crosses[0].mask[0].expand(count, -1)
    embedded = present(trace.target_embedding).output
    return Reading(
        self_weights=_numpy(torch.cat([x.self_attn.weights[..., :count, :count] for x in layers])),
        cross_weights=_numpy(read),
        cross_mask=_numpy(cross_mask),
        states=_states(embedded, present(trace.decoder))[:, :count].cpu(),
    )


def _no_source(
    weights: Float[Tensor, "batch head query key"], layers: int, count: int
) -> tuple[Float[Tensor, "layer head step source"], Bool[Tensor, "step source"]]:
    """Return rows with zero columns, for a model that reads no source."""
    heads = weights.size(1)
    return weights.new_zeros(layers, heads, count, 0), torch.ones(count, 0, dtype=torch.bool)


def _stacked(run: Run, model: "Transformer", ids: tuple[int, ...]) -> Reading:
    """Take the last row of a pass for each step."""
    source, config, count = source_ids(run, model), run.info.config, len(ids)
    heads = (config.n_decoder_layers, config.n_heads)
    self_weights = np.zeros((*heads, count, count), dtype=np.float32)
    n_source = 0 if source is None else source.size(1)
    cross_weights = np.zeros((*heads, count, n_source), dtype=np.float32)
    states: list[Tensor] = []
    for t in range(count):
        target = torch.tensor([(run.target_ids[0], *ids[:t])], device=model.device)
        one = _cut(model(source, target, edits=run.edits), t + 1)
        self_weights[:, :, t, : t + 1] = one.self_weights[:, :, t]
        cross_weights[:, :, t] = one.cross_weights[:, :, t]
        states.append(one.states[:, t])
    mask = np.ones((count, 0), dtype=bool)
    if source is not None:
        mask = _numpy(model.source_mask(source)[0].expand(count, -1))
    return Reading(self_weights, cross_weights, mask, torch.stack(states, dim=1))


def _states(
    embedded: Float[Tensor, "batch target d_model"], decoder: DecoderTrace
) -> Float[Tensor, "depth target d_model"]:
    return torch.cat([embedded, *(layer.output for layer in decoder.layers)])


def _numpy(tensor: Tensor) -> np.ndarray:
    return on_cpu(tensor).numpy()
