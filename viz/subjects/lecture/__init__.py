"""Lecture: views saved as slides, in an order, to show to a class."""
