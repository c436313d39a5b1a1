"""The transformer (figure 1 of the paper): ids in, a trace of everything out."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from model.config import Activation, Side, TransformerConfig
from model.decoder import Decoder, DecoderCache
from model.devices import short_type
from model.edits import NO_EDITS, Edits
from model.embedding import Embedding
from model.encoder import Encoder
from model.feed_forward import activate
from model.linear import Linear
from model.masks import causal_mask, open_mask, padding_mask
from model.norms import make_norm
from model.recompute import Look
from model.traces import DecoderTrace, EmbeddingTrace, EncoderTrace, TransformerTrace, present
from model.writing import NO_RULES


class Encoded(NamedTuple):
    """The encoder's result for a source."""

    embedding: EmbeddingTrace
    encoder: EncoderTrace


class Transformer(nn.Module):
    """A model of any variant. `forward` returns a trace and stores nothing.

    A part that the config lacks is None: an encoder-only model has no decoder, and so on.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.rules = NO_RULES
        """The rules for the tokens that it may write, if its folder has any."""
        self.source_embedding = self.encoder = self.target_embedding = self.decoder = None
        if config.has_encoder:
            self.source_embedding = self._make_embedding(config.source_vocab_size)
            self.encoder = Encoder(config)
        if config.has_decoder:
            self.target_embedding = self._make_embedding(config.target_vocab_size)
            self.decoder = Decoder(config)
        self.transform = HeadTransform(config) if config.head == "transform" else None
        self.generator = None
        if config.head != "none":
            self.generator = Linear(
                config.d_model, config.predicted_vocab_size, bias=config.generator_bias
            )
        self._initialise()

    def forward(
        self,
        source: Int[Tensor, "batch source"] | None,
        target: Int[Tensor, "batch target"] | None,
        *,
        source_mask: Bool[Tensor, "#batch #target source"] | None = None,
        target_mask: Bool[Tensor, "#batch #target target"] | None = None,
        edits: Edits = NO_EDITS,
        encoded: Encoded | None = None,
        recompute: Look | None = None,
    ) -> TransformerTrace:
        """Run the whole model on a source and a complete target (teacher forcing).

        Row t of the logits predicts the token that follows target position t; without a decoder,
        the token at source position t. Masks that are not given follow from the config and, if it
        sets `padding_by_id`, from the ids; the encoder uses the source mask only if the variant
        masks its padding.

        Args:
            source: The ids that the encoder reads; None if the model has no encoder.
            target: The ids that the decoder reads; None if the model has no decoder.
            source_mask: Which source positions may be read.
            target_mask: Which target positions each target position may read.
            edits: Changes to the computation.
            encoded: The result of `encode` for this source and these edits, to save its time.
            recompute: If given, only the input of each layer is kept, and no logits (see
                `model.recompute`). This function is called with each layer before its release.

        Raises:
            ValueError: If an edit names nothing captured, or if a text is missing or is read by no
                part of the model.
        """
        edits.check(self.config)
        self._check_texts(source, target)
        source_embedding = encoder = target_embedding = decoder = None
        if source is not None:
            source_embedding, encoder = encoded or self.encode(
                source, source_mask=source_mask, edits=edits, recompute=recompute
            )
            source_mask = self.source_mask(source) if source_mask is None else source_mask
        if target is not None:
            target_embedding, decoder = self.decode(
                target,
                encoder and encoder.output,
                source_mask=source_mask,
                target_mask=target_mask,
                edits=edits,
                recompute=recompute,
            )
        logits = output = None
        if self.generator is not None and recompute is None:
            logits, output = self.generate(present(decoder or encoder).output, edits=edits)
        return TransformerTrace(
            source_embedding=source_embedding,
            encoder=encoder,
            target_embedding=target_embedding,
            decoder=decoder,
            logits=logits,
            output=output,
        )

    def encodings(self, side: Side, count: int) -> Float[Tensor, "position d_model"]:
        """Return the positional encodings of the first positions of a side.

        Raises LookupError if the model reads no text of this side.
        """
        return self.embedding_of(side).positions(0, count).detach()

    def encode(
        self,
        source: Int[Tensor, "batch source"],
        *,
        source_mask: Bool[Tensor, "#batch #target source"] | None = None,
        edits: Edits = NO_EDITS,
        recompute: Look | None = None,
    ) -> Encoded:
        """Embed the source and pass it through the encoder."""
        embed, encoder = present(self.source_embedding), present(self.encoder)
        embedding = embed(source, edits=edits.part("source_embedding"))
        mask = source_mask
        if not self.config.encoder_padding_mask:
            mask = open_mask(source.size(1), device=source.device)
        elif mask is None:
            mask = self._padding_mask(source)
        encoded = encoder(embedding.output, mask, edits=edits.part("encoder"), recompute=recompute)
        return Encoded(embedding, encoded)

    def decode(
        self,
        target: Int[Tensor, "batch target"],
        memory: Float[Tensor, "batch source d_model"] | None,
        *,
        source_mask: Bool[Tensor, "#batch #target source"] | None,
        target_mask: Bool[Tensor, "#batch #target key"] | None = None,
        cache: DecoderCache | None = None,
        edits: Edits = NO_EDITS,
        recompute: Look | None = None,
    ) -> tuple[EmbeddingTrace, DecoderTrace]:
        """Embed the target and pass it through the decoder.

        With a cache, only the ids that follow those in it are computed. `memory` is None because
        its keys and values are in the cache. Raises ValueError if no id follows.
        """
        embed, decoder = present(self.target_embedding), present(self.decoder)
        past = cache.length if cache else 0
        if target.size(1) <= past:
            raise ValueError(
                f"target must be longer than the {past} positions in the cache, "
                f"got {target.size(1)}"
            )
        if target_mask is None:
            target_mask = self.target_mask(target, past=past)
        edits = edits.at(past)
        embedding = embed(target[:, past:], start=past, edits=edits.part("target_embedding"))
        decoded = decoder(
            embedding.output,
            memory,
            target_mask,
            source_mask,
            cache=cache,
            edits=edits.part("decoder"),
            recompute=recompute,
        )
        return embedding, decoded

    def generate(
        self, hidden: Float[Tensor, "batch position d_model"], *, edits: Edits = NO_EDITS
    ) -> tuple[Float[Tensor, "batch position vocab"], Float[Tensor, "batch position vocab"]]:
        """Return the logits for hidden states of the last stack, by the head of the variant.

        Raises LookupError in a model that predicts nothing.
        """
        if self.transform is not None:
            hidden = self.transform(hidden)
        if self.config.scale_logits:
            hidden = hidden * self.config.d_model**-0.5
        logits = edits.apply("logits", present(self.generator)(hidden))
        output = logits
        if self.config.output == "log_softmax":
            output = logits.log_softmax(dim=-1)
        elif self.config.output == "softmax":
            output = logits.softmax(dim=-1)
        return logits, edits.apply("output", output)

    def embedding_of(self, side: Side) -> Embedding:
        """Return the embedding of a side. Raises LookupError if no part reads such a text."""
        return present(self.source_embedding if side == "source" else self.target_embedding)

    @property
    def n_parameters(self) -> int:
        """The number of learned parameters, with tied ones counted once."""
        return sum(parameter.numel() for parameter in self.parameters())

    @property
    def precision(self) -> str | None:
        """The name of the number type in which it computes, if shorter than float32."""
        return short_type(next(self.parameters()).dtype)

    @property
    def device(self) -> torch.device:
        """The device on which the model computes."""
        return next(self.parameters()).device

    def source_mask(self, source: Int[Tensor, "batch source"]) -> Bool[Tensor, "#batch 1 source"]:
        """Return which source positions cross-attention may read."""
        if not self.config.decoder_padding_mask:
            return open_mask(source.size(1), device=source.device)
        return self._padding_mask(source)

    def target_mask(
        self, target: Int[Tensor, "batch target"], *, past: int = 0
    ) -> Bool[Tensor, "#batch #query target"]:
        """Return the target positions that decoder self-attention may read, from row `past` on."""
        length, config = target.size(1), self.config
        if config.causal_mask:
            mask = causal_mask(length - past, past=past, window=config.window, device=target.device)
        else:
            mask = open_mask(length, device=target.device)
        if config.masks_target_padding:
            mask = mask & padding_mask(target, config.pad_id)
        return mask

    def _padding_mask(self, ids: Int[Tensor, "batch key"]) -> Bool[Tensor, "#batch 1 key"]:
        """Return which positions are not padding, as far as the ids show it."""
        if not self.config.padding_by_id:
            return open_mask(ids.size(1), device=ids.device)
        return padding_mask(ids, self.config.pad_id)

    def _check_texts(self, source: Tensor | None, target: Tensor | None) -> None:
        for name, stack, ids in (
            ("source", self.encoder, source),
            ("target", self.decoder, target),
        ):
            if stack is not None and ids is None:
                raise ValueError(f"this model reads a {name}, got none")
            if stack is None and ids is not None:
                raise ValueError(f"no part of this model reads a {name}: pass None")

    def _make_embedding(self, vocab_size: int) -> Embedding:
        config = self.config
        norm = None
        if config.embedding_norm:
            norm = make_norm(config.norm, config.d_model, config.norm_eps)
        return Embedding(
            vocab_size,
            config.d_model,
            positions=config.positions,
            max_length=config.max_length,
            position_offset=config.position_offset,
            skipped=config.pad_id if config.positions_skip_padding else None,
            segments=config.segments,
            scaled=config.scale_embeddings,
            norm=norm,
            dropout=config.dropout_rate("embedding"),
        )

    def _initialise(self) -> None:
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        embeddings = [e for e in (self.source_embedding, self.target_embedding) if e is not None]
        for embedding in embeddings:
            embedding.initialise()
        if self.config.tying != "none" and self.generator is not None:
            self.generator.weight = embeddings[-1].weight
        if self.config.tying == "all":
            embeddings[0].weight = embeddings[-1].weight


class HeadTransform(nn.Module):
    """A map, the activation and a norm between the last hidden states and the generator.

    Models trained on masked words have it (Devlin et al. 2019).
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.dense = Linear(config.d_model, config.d_model)
        self.activation: Activation = config.activation
        self.norm = make_norm(config.norm, config.d_model, config.norm_eps)

    def forward(
        self, hidden: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Transform each position by itself."""
        return self.norm(activate(self.activation, self.dense(hidden)))


def count_parameters(model: nn.Module) -> int:
    """Count the parameters, tied ones once."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
