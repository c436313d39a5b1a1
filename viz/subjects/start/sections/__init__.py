"""The parts of Start around its picture."""
