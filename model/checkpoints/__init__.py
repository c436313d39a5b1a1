"""Checkpoints: a trained model on disk, its weights and all that is known of it."""
