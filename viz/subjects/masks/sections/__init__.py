"""The parts of the page of masks, in their order on it."""
