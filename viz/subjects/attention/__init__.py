"""Attention: all heads, one head, one cell with its arithmetic, stages and tables."""
