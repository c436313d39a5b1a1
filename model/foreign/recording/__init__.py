"""Records of models whose code is not ours, made while that code runs.

    trace = record(model, input_ids=ids)
    trace.decoder.layers[1].self_attn.weights

One recorder serves models of transformers and any other torch module: it sees each attention, in
whichever of three ways it is written, and what each module reads and gives. Where the values of one
pass prove what these are, the record has the names of our own (`record`); else the attentions have
the paths of their modules (`trace_module`). transformers is imported only where it is recorded.
"""

from model.foreign.recording.attention import RecordedAttention
from model.foreign.recording.keeping import Keep, PickedTrace
from model.foreign.recording.preparation import (
    Attached,
    ModuleTrace,
    Recorded,
    attached,
    record,
    trace_module,
)

__all__ = [
    "Attached",
    "Keep",
    "ModuleTrace",
    "PickedTrace",
    "Recorded",
    "RecordedAttention",
    "attached",
    "record",
    "trace_module",
]
