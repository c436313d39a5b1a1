"""The parts of the page of decoding."""
