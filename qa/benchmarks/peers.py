"""Models of transformers that benchmarks run beside ours."""

from torch import nn


def marian(vocabulary: int) -> nn.Module:
    """Build MarianMT of the paper's base sizes, its attention written out too."""
    from transformers import MarianConfig, MarianMTModel

    config = MarianConfig(
        vocab_size=vocabulary,
        decoder_vocab_size=vocabulary,
        d_model=512,
        encoder_layers=6,
        decoder_layers=6,
        encoder_attention_heads=8,
        decoder_attention_heads=8,
        encoder_ffn_dim=2048,
        decoder_ffn_dim=2048,
        max_position_embeddings=1024,
        activation_function="relu",
        scale_embedding=True,
        share_encoder_decoder_embeddings=True,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        forced_eos_token_id=None,
        attn_implementation="eager",
    )
    return MarianMTModel(config).eval()
