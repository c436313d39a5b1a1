"""Checks shapes in all that the tests import."""

from tests.shapes import check_shapes

check_shapes("model", "viz")
