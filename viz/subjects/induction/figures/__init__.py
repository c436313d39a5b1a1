"""Figures of the page on induction."""
