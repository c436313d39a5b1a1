"""The contributions of single keys and heads to a hidden state, also through norms.

With known weights an attention is a sum, and with a known scale a norm is linear. A hidden state is
therefore a sum of parts that can be followed one by one.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.attention import MultiHeadAttention
from model.norms import RootMeanSquareNorm, UnbiasedStdNorm
from model.traces import AttentionTrace, for_each_head
from model.transformer import Transformer


def find_attention(model: Transformer, name: str) -> MultiHeadAttention:
    """Find a multi-head attention by its name in the trace."""
    found = model.get_submodule(name)
    if not isinstance(found, MultiHeadAttention):
        raise TypeError(f"{name} must be a multi-head attention, got {type(found).__name__}")
    return found


def norm_after(model: Transformer, sublayer: str) -> nn.Module | None:
    """Find the norm after a sublayer; None in the variants that have it before."""
    if model.config.norm_placement != "post":
        return None
    return model.get_submodule(f"{sublayer}_norm")


def parts_by_head(
    module: MultiHeadAttention, trace: AttentionTrace
) -> Float[Tensor, "head query d_model"]:
    """Return each head's contribution to the output: head_i times its rows of W^O (section 3.2.2).

    Together with the bias of W^O, if there is one, they sum to the output.
    """
    return torch.einsum("hqv,dhv->hqd", trace.heads[0], _output_by_head(module, trace))


def parts_by_key(
    module: MultiHeadAttention, trace: AttentionTrace
) -> Float[Tensor, "head query key d_model"]:
    """Return the contribution of each head and key: weight, times value, times rows of W^O."""
    value = for_each_head(trace.value, module.n_heads)[0]
    carried = torch.einsum("hkv,dhv->hkd", value, _output_by_head(module, trace))
    return trace.weights[0][..., None] * carried[:, None]


def vector_norms(module: MultiHeadAttention, trace: AttentionTrace) -> Float[Tensor, "query key"]:
    """Compute the norm of all heads' contribution from a key, ||sum over heads of alpha f(x)||.

    f(x) = (x W^V + b^V) W^O, Kobayashi et al. 2020 (2004.10102), equation 5. A large weight on a
    vector near 0 contributes nothing.
    """
    return parts_by_key(module, trace).sum(dim=0).norm(dim=-1)


def norm_scale(norm: nn.Module, x: Float[Tensor, "*axes d_model"]) -> Float[Tensor, "*axes 1"]:
    """Return the scale by which a norm divides at x."""
    if isinstance(norm, UnbiasedStdNorm):
        return x.std(dim=-1, keepdim=True) + norm.eps
    if isinstance(norm, nn.LayerNorm):
        return (x.var(dim=-1, unbiased=False, keepdim=True) + norm.eps).sqrt()
    if isinstance(norm, RootMeanSquareNorm):
        return (x.pow(2).mean(dim=-1, keepdim=True) + norm.eps).sqrt()
    raise TypeError(f"the norm must be one of model.norms, got {type(norm).__name__}")


def through_norm(
    norm: nn.Module, part: Float[Tensor, "*axes d_model"], scale: Float[Tensor, "*#axes 1"]
) -> Float[Tensor, "*axes d_model"]:
    """Apply a norm with a fixed scale to a part: gain * (part - mean) / scale.

    RMS norm does not subtract the mean. With the scale of x, the parts of x and the bias of the
    norm, if it has one, sum to the norm of x (Kobayashi et al. 2021, equation 5).
    """
    gain = norm.get_parameter("weight").to(part)
    if isinstance(norm, RootMeanSquareNorm):
        return gain * part / scale
    return gain * (part - part.mean(dim=-1, keepdim=True)) / scale


def _output_by_head(
    module: MultiHeadAttention, trace: AttentionTrace
) -> Float[Tensor, "d_model head d_v"]:
    weight = module.output.weight.detach().to(trace.value)
    return weight.unflatten(1, (module.n_heads, -1))
