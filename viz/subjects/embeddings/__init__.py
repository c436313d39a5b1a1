"""Tokens as vectors: their embeddings and hidden states, how they group, and their projections."""
