"""Texts of the Positions page: fixed ones, and sentences computed from numbers."""
