"""Figures of positional encodings: arrays and labels in, figures out."""
