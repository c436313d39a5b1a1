"""Decoding: paths of written tokens, the weights behind them, and the beam."""
