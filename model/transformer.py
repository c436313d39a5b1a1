"""The encoder-decoder transformer (figure 1 of the paper): ids in, a trace of everything out."""

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from model.config import TransformerConfig
from model.decoder import Decoder, DecoderCache
from model.edits import NO_EDITS, Edits
from model.embedding import Embedding
from model.encoder import Encoder
from model.masks import causal_mask, open_mask, padding_mask
from model.traces import DecoderTrace, EmbeddingTrace, EncoderTrace, TransformerTrace


class Transformer(nn.Module):
    """One model of any variant. `forward` returns what it computed and stores nothing."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.source_embedding = self._make_embedding(config.source_vocab_size)
        self.encoder = Encoder(config)
        self.target_embedding = self._make_embedding(config.target_vocab_size)
        self.decoder = Decoder(config)
        self.generator = nn.Linear(config.d_model, config.target_vocab_size)
        self._initialise()

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        target: Int[Tensor, "batch target"],
        *,
        source_mask: Bool[Tensor, "#batch #target source"] | None = None,
        target_mask: Bool[Tensor, "#batch #target target"] | None = None,
        edits: Edits = NO_EDITS,
    ) -> TransformerTrace:
        """Run the whole model on a source and a target that is already there (teacher forcing).

        Row t of the logits predicts the token that follows target position t. Masks that are not
        given follow from `pad_id` and the config; the encoder uses the source mask only where the
        variant masks its padding. Raises ValueError on edits of names that are not captured.
        """
        edits.check(self.config)
        source_embedding, encoder = self.encode(source, source_mask=source_mask, edits=edits)
        target_embedding, decoder = self.decode(
            target,
            encoder.output,
            source_mask=self.source_mask(source) if source_mask is None else source_mask,
            target_mask=target_mask,
            edits=edits,
        )
        logits, output = self.generate(decoder.output, edits=edits)
        return TransformerTrace(
            source_embedding=source_embedding,
            encoder=encoder,
            target_embedding=target_embedding,
            decoder=decoder,
            logits=logits,
            output=output,
        )

    def encode(
        self,
        source: Int[Tensor, "batch source"],
        *,
        source_mask: Bool[Tensor, "#batch #target source"] | None = None,
        edits: Edits = NO_EDITS,
    ) -> tuple[EmbeddingTrace, EncoderTrace]:
        """Embed the source and pass it through the encoder."""
        embedding = self.source_embedding(source, edits=edits.part("source_embedding"))
        if not self.config.encoder_padding_mask:
            mask = open_mask(source.size(1), device=source.device)
        elif source_mask is None:
            mask = padding_mask(source, self.config.pad_id)
        else:
            mask = source_mask
        return embedding, self.encoder(embedding.output, mask, edits=edits.part("encoder"))

    def decode(
        self,
        target: Int[Tensor, "batch target"],
        memory: Float[Tensor, "batch source d_model"] | None,
        *,
        source_mask: Bool[Tensor, "#batch #target source"],
        target_mask: Bool[Tensor, "#batch #target key"] | None = None,
        cache: DecoderCache | None = None,
        edits: Edits = NO_EDITS,
    ) -> tuple[EmbeddingTrace, DecoderTrace]:
        """Embed the target and pass it through the decoder.

        With a cache, only the ids that follow those in it are computed, and `memory` is None: its
        keys and values are in the cache. Raises ValueError where no id follows.
        """
        past = cache.length if cache else 0
        if target.size(1) <= past:
            raise ValueError(
                f"target must be longer than the {past} positions in the cache, "
                f"got {target.size(1)}"
            )
        if target_mask is None:
            target_mask = self.target_mask(target, past=past)
        edits = edits.at(past)
        embedding = self.target_embedding(
            target[:, past:], start=past, edits=edits.part("target_embedding")
        )
        decoder = self.decoder(
            embedding.output,
            memory,
            target_mask,
            source_mask,
            cache=cache,
            edits=edits.part("decoder"),
        )
        return embedding, decoder

    def generate(
        self, hidden: Float[Tensor, "batch target d_model"], *, edits: Edits = NO_EDITS
    ) -> tuple[
        Float[Tensor, "batch target target_vocab"], Float[Tensor, "batch target target_vocab"]
    ]:
        """Give the logits for hidden states of the decoder, and what the variant makes of them."""
        logits = edits.apply("logits", self.generator(hidden))
        output = logits
        if self.config.output == "log_softmax":
            output = logits.log_softmax(dim=-1)
        elif self.config.output == "softmax":
            output = logits.softmax(dim=-1)
        return logits, edits.apply("output", output)

    def source_mask(self, source: Int[Tensor, "batch source"]) -> Bool[Tensor, "#batch 1 source"]:
        """Which source positions cross-attention may read."""
        if not self.config.decoder_padding_mask:
            return open_mask(source.size(1), device=source.device)
        return padding_mask(source, self.config.pad_id)

    def target_mask(
        self, target: Int[Tensor, "batch target"], *, past: int = 0
    ) -> Bool[Tensor, "#batch #query target"]:
        """Which target positions decoder self-attention may read, in the rows from `past` on."""
        length = target.size(1)
        if self.config.causal_mask:
            mask = causal_mask(length - past, past=past, device=target.device)
        else:
            mask = open_mask(length, device=target.device)
        if self.config.decoder_padding_mask:
            mask = mask & padding_mask(target, self.config.pad_id)
        return mask

    def _make_embedding(self, vocab_size: int) -> Embedding:
        return Embedding(
            vocab_size,
            self.config.d_model,
            positions=self.config.positions,
            max_length=self.config.max_length,
            scaled=self.config.scale_embeddings,
            dropout=self.config.dropout_rate("embedding"),
        )

    def _initialise(self) -> None:
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        self.source_embedding.initialise()
        self.target_embedding.initialise()
        if self.config.tying != "none":
            self.generator.weight = self.target_embedding.weight
        if self.config.tying == "all":
            self.source_embedding.weight = self.target_embedding.weight


def count_parameters(model: nn.Module) -> int:
    """Count the numbers that training adjusts, tied ones once."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
