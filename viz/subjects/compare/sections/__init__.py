"""The parts of the page of two runs, in their order on it."""
