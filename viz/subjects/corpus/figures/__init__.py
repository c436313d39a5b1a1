"""Figures of the page on the corpus."""
