"""Decoding: paths of written tokens, what the model read for them, and its beam."""
