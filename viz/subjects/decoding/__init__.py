"""Decoding: paths through the model's choices, what it read, its beam."""
