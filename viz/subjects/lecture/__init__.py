"""Lecture: views kept as slides, in an order, to be shown to a room of people."""
