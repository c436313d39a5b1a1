"""Figures about training: curves, bars, deep stacks."""
