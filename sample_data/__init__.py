"""Toy corpora with gold alignments, the modules that generate them, and trained checkpoints."""
