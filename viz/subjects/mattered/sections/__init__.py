"""The parts of the page of what mattered, in their order on it."""
