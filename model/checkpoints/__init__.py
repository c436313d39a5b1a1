"""Checkpoints: trained models on disk, each with its weights and its description."""
