"""What the encoder and the decoder share: residual layers, and their parts built from a config."""

from jaxtyping import Float
from torch import Tensor, nn

from model.attention import MultiHeadAttention
from model.config import TransformerConfig
from model.feed_forward import FeedForward
from model.norms import make_norm


class ResidualLayer(nn.Module):
    """A layer whose sublayers are each added to their input, with a norm after that or before."""

    def __init__(self, *, pre_norm: bool, dropout: float) -> None:
        super().__init__()
        self.pre_norm = pre_norm
        self.dropout = nn.Dropout(dropout)

    def enter(
        self, norm: nn.Module, x: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Give what the sublayer reads: the norm of x where the norm stands before, else x."""
        return norm(x) if self.pre_norm else x

    def leave(
        self,
        norm: nn.Module,
        x: Float[Tensor, "batch position d_model"],
        output: Float[Tensor, "batch position d_model"],
    ) -> Float[Tensor, "batch position d_model"]:
        """Add the sublayer's output to its input; normalise where the norm stands after."""
        x = x + self.dropout(output)
        return x if self.pre_norm else norm(x)


class Stack(nn.Module):
    """A stack of layers, with a final norm in the variants that have one."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.norm = self.make_norm() if config.final_norm else None

    def make_attention(self) -> MultiHeadAttention:
        """Build one attention of a layer."""
        return MultiHeadAttention(
            self.config.d_model,
            self.config.n_heads,
            self.config.d_k,
            self.config.d_v,
            bias=self.config.attention_bias,
            mask_fill=self.config.mask_fill,
            dropout=self.config.dropout_rate("attention_weights"),
        )

    def make_feed_forward(self) -> FeedForward:
        """Build the feed-forward network of a layer."""
        return FeedForward(
            self.config.d_model,
            self.config.d_ff,
            dropout=self.config.dropout_rate("feed_forward_hidden"),
        )

    def make_norm(self) -> nn.Module:
        """Build the norm of one sublayer."""
        return make_norm(self.config.norm, self.config.d_model, self.config.norm_eps)

    def finish(
        self, x: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Apply the final norm, where there is one."""
        return x if self.norm is None else self.norm(x)
