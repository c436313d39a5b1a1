"""Makes a run of a third-party model: transformers' own code computes it, and is recorded."""

from typing import TYPE_CHECKING

import torch

from model.decoding.steps import steps_of
from model.recompute import on_cpu
from model.traces import present
from viz.run.making import encode_texts
from viz.run.record import Run, longest_written, max_tokens

if TYPE_CHECKING:
    from model.foreign.huggingface import RecordedFolder


@torch.inference_mode()
def make_recorded_run(opened: "RecordedFolder", text: str, target: str = "") -> Run:
    """Run a text as `make_run` does, but without changes; trace it in one pass.

    Raises ValueError if a text has no token or too many.
    """
    info, model = opened.info, opened.model
    read, prompt, given = encode_texts(info, text, target)
    device = model.device
    source = torch.tensor([read.ids], device=device) if info.config.has_encoder else None
    ids: tuple[int, ...] = ()
    if info.config.has_decoder:
        ids = (*prompt, *given)
        if not given and len(prompt) < max_tokens(info.config):
            most = longest_written(info.config, read) + 1
            ids = model.write(source, prompt, most=most, end=info.tokenizers.target.specials.ends)
    read_ids = torch.tensor([ids[:-1]], device=device) if ids else None
    trace = on_cpu(model(source, read_ids))
    steps = steps_of(present(trace.logits)[0], ids[1:]) if ids else ()
    return Run(
        info=info,
        anatomy=opened.anatomy,
        source_text=text,
        source=read,
        steps=steps,
        target_ids=ids,
        target_tokens=info.tokenizers.target.tokens(ids),
        text=info.tokenizers.target.decode(ids[len(prompt) :]),
        given=bool(given),
        trace=trace,
        n_prompt=len(prompt) - 1 if steps else 0,
        precision=model.precision,
    )
