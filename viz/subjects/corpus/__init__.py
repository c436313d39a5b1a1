"""Corpus: what a head does over many sentences."""
