"""What one key or one head adds to a hidden state, and how a norm with its scale held hands it on.

Once its weights are known an attention is a sum, and once its scale is known a norm is linear. So a
hidden state is a sum of parts, each of which can be followed.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.attention import MultiHeadAttention
from model.norms import RootMeanSquareNorm, UnbiasedStdNorm
from model.traces import AttentionTrace, for_each_head
from model.transformer import Transformer


def find_attention(model: Transformer, name: str) -> MultiHeadAttention:
    """Find a multi-head attention by the name that the trace has for it."""
    found = model.get_submodule(name)
    if not isinstance(found, MultiHeadAttention):
        raise TypeError(f"{name} must be a multi-head attention, got {type(found).__name__}")
    return found


def norm_after(model: Transformer, sublayer: str) -> nn.Module | None:
    """Find the norm that stands after a sublayer; None in the variants where it stands before."""
    if model.config.norm_placement != "post":
        return None
    return model.get_submodule(f"{sublayer}_norm")


def parts_by_head(
    module: MultiHeadAttention, trace: AttentionTrace
) -> Float[Tensor, "head query d_model"]:
    """Return what each head adds to the output: head_i times its rows of W^O (section 3.2.2).

    With the bias of W^O, where there is one, they sum to the output.
    """
    return torch.einsum("hqv,dhv->hqd", trace.heads[0], _output_by_head(module, trace))


def parts_by_key(
    module: MultiHeadAttention, trace: AttentionTrace
) -> Float[Tensor, "head query key d_model"]:
    """Return what each head adds for each key: weight, times value, times rows of W^O."""
    value = for_each_head(trace.value, module.n_heads)[0]
    carried = torch.einsum("hkv,dhv->hkd", value, _output_by_head(module, trace))
    return trace.weights[0][..., None] * carried[:, None]


def vector_norms(module: MultiHeadAttention, trace: AttentionTrace) -> Float[Tensor, "query key"]:
    """Length of what all heads together bring from a key, ||sum over heads of alpha f(x)||.

    f(x) = (x W^V + b^V) W^O, Kobayashi et al. 2020 (2004.10102), equation 5: a large weight on a
    vector near 0 brings nothing.
    """
    return parts_by_key(module, trace).sum(dim=0).norm(dim=-1)


def norm_scale(norm: nn.Module, x: Float[Tensor, "*axes d_model"]) -> Float[Tensor, "*axes 1"]:
    """Return what a norm divides by at x."""
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
    """Hand a part on through a norm whose scale is held: gain * (part - mean) / scale.

    A norm by the root of the mean square takes no mean off. With the bias of the norm, where it has
    one, the parts of x give the norm of x where the scale is that of x (Kobayashi et al. 2021,
    equation 5).
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
