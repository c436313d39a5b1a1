"""Converts weights for a checkpoint, and checks that they fit a config."""

from collections.abc import Iterable, Mapping

import torch
from torch import Tensor

from model.config import TransformerConfig
from model.files.json_fields import shorten
from model.memory.meta_models import numberless
from model.transformer import Transformer

_DTYPES = (torch.float16, torch.bfloat16, torch.float32)
_LARGE = 100_000
"""The number of elements from which a matrix is stored in 8 bits."""
SCALE = ".scale"
"""The ending of the tensor with the factors of a matrix in 8 bits."""
_MOST_NUMBERS = 2**29
"""The largest number of elements in a file, which become float32: twice its float32 capacity."""
_LARGEST_TABLE = 2**24
"""The largest number of elements in computed tables of positions, which no file size bounds."""


def stored_tensors(model: Transformer) -> dict[str, Tensor]:
    """Return the tensors that a checkpoint stores; tied parameters have their first name."""
    tensors = model.state_dict(keep_vars=True)
    first_names: dict[int, str] = {}
    for name, tensor in tensors.items():
        first_names.setdefault(id(tensor), name)
    return {name: tensors[name] for name in first_names.values()}


def shortened(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return weights in float16, and large matrices in int8, as a file stores them.

    A row of a large matrix NAME is stored as whole numbers from -127 to 127. Its factor is in
    NAME.scale, in float16: the row's largest number divided by 127.
    """
    short: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        if fits_8_bits(tensor):
            scale = row_scales(tensor)
            short[name] = whole_numbers(tensor, scale)
            short[name + SCALE] = scale
        else:
            short[name] = tensor.half()
    return short


def fits_8_bits(tensor: Tensor) -> bool:
    """Return whether a tensor is a large matrix, which is stored in 8 bits."""
    return tensor.dim() == 2 and tensor.numel() >= _LARGE


def row_scales(matrix: Tensor) -> Tensor:
    """Compute the factor of each row of a matrix in 8 bits."""
    return (matrix.abs().amax(dim=1) / 127).half()


def whole_numbers(matrix: Tensor, scale: Tensor) -> Tensor:
    """Round each number of a matrix to a whole multiple of the factor of its row."""
    steps = matrix / scale.float().masked_fill(scale == 0, 1)[:, None]
    return steps.round().clamp(-127, 127).to(torch.int8)


def widened(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights of a checked file, with int8 matrices multiplied by their scales."""
    return {
        name: tensor * weights[name + SCALE].float()[:, None]
        if tensor.dtype == torch.int8
        else tensor
        for name, tensor in weights.items()
    }


def check_finite(weights: Mapping[str, Tensor]) -> None:
    """Raise ValueError if any number is infinite or NaN."""
    if broken := [name for name, tensor in weights.items() if not _is_finite(tensor)]:
        raise ValueError(f"weights must be finite, got inf or nan in {_first(broken)}")


def check_weights(weights: Mapping[str, Tensor], config: TransformerConfig) -> None:
    """Raise ValueError unless these are the tensors of the config, before allocating any."""
    model = _model_of_shapes(config, n_tensors=len(weights))
    expected = {name: tuple(tensor.shape) for name, tensor in stored_tensors(model).items()}
    scaled = {
        name
        for name, shape in expected.items()
        if len(shape) == 2 and name in weights and weights[name].dtype == torch.int8
    }
    expected |= {name + SCALE: expected[name][:1] for name in scaled}
    faults: list[str] = []
    if missing := sorted(expected.keys() - weights.keys()):
        faults.append(f"missing are {_first(missing)}")
    if extra := sorted(weights.keys() - expected.keys()):
        faults.append(f"unknown are {_first(map(shorten, extra))}")
    shapes = {name: tuple(weights[name].shape) for name in expected if name in weights}
    if misshaped := [name for name, shape in shapes.items() if shape != expected[name]]:
        faults.append(
            _first(f"{name} is {shapes[name]} instead of {expected[name]}" for name in misshaped)
        )
    if faults:
        raise ValueError(
            f"weights must be those that the config describes: {'; '.join(faults)}. "
            "Weights fit only the config that they were trained with"
        )
    others = weights.keys() - scaled
    if mistyped := sorted(name for name in others if weights[name].dtype not in _DTYPES):
        raise ValueError(
            "weights must be float16, bfloat16 or float32, or int8 of a matrix, "
            f"got {weights[mistyped[0]].dtype} in {_first(mistyped)}"
        )
    if (size := sum(tensor.numel() for tensor in weights.values())) > _MOST_NUMBERS:
        raise ValueError(f"weights must be at most {_MOST_NUMBERS:,} numbers, got {size:,}")
    if (size := sum(table.numel() for table in model.buffers())) > _LARGEST_TABLE:
        raise ValueError(
            f"tables of positions must hold at most {_LARGEST_TABLE} numbers, got {size}: "
            f"max_length is {config.max_length}, d_model {config.d_model}"
        )


def _model_of_shapes(config: TransformerConfig, *, n_tensors: int) -> Transformer:
    """Build the model without data, which takes no memory at any size."""
    n_layers = config.n_encoder_layers + config.n_decoder_layers
    if n_layers > n_tensors:
        raise ValueError(
            f"weights must be those that the config describes: it has {n_layers} layers, "
            f"and there are {n_tensors} tensors"
        )
    try:
        with numberless():
            return Transformer(config)
    except (RuntimeError, TypeError, OverflowError) as error:
        raise ValueError(
            f"the config does not describe a possible model: {shorten(str(error))}"
        ) from error


def _is_finite(tensor: Tensor) -> bool:
    """Check only the smallest and the largest number, both of which are NaN if any number is.

    Checking each number takes thirty times as long, and additional memory.
    """
    return not tensor.numel() or all(bool(end.isfinite()) for end in tensor.aminmax())


def _first(items: Iterable[str]) -> str:
    items = list(items)
    more = f" and {len(items) - 3} more" if len(items) > 3 else ""
    return ", ".join(items[:3]) + more
