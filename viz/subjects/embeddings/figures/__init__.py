"""Figures of tokens as vectors: clouds of points, trails through the layers, bars and norms."""
